// Compares the mutants that survive with those that survivors.json lists, each with the reason why no test can kill it.
// An entry names the code and not its line, so it stays true if other code changes.

const keyOf = ({ file, mutator, code, from, to }) => JSON.stringify([file, mutator, code, from, to]);

const counted = (mutants) => {
  const counts = new Map();
  for (const mutant of mutants) {
    const key = keyOf(mutant);
    counts.set(key, (counts.get(key) ?? 0) + (mutant.times ?? 1));
  }
  return counts;
};

/** Returns the survivors that are not listed, and the listed ones of the mutated files that no longer survive. */
export const compared = ({ files, alive }, listed) => {
  const concerned = listed.filter(({ file }) => files.includes(file));
  const [found, expected] = [counted(alive), counted(concerned)];
  return {
    unlisted: alive.filter((mutant) => (found.get(keyOf(mutant)) ?? 0) > (expected.get(keyOf(mutant)) ?? 0)),
    dead: concerned.filter((entry) => (found.get(keyOf(entry)) ?? 0) < (expected.get(keyOf(entry)) ?? 0)),
  };
};

/** Returns the list with new entries, which lack a reason, and without those that no longer survive. */
export const updated = ({ files, alive }, listed) => {
  const reasons = new Map(listed.map((entry) => [keyOf(entry), entry.reason]));
  const others = listed.filter(({ file }) => !files.includes(file));
  const now = [...counted(alive)].map(([key, times]) => {
    const [file, mutator, code, from, to] = JSON.parse(key);
    return { file, mutator, code, from, to, ...(times > 1 && { times }), reason: reasons.get(key) ?? '' };
  });
  return [...others, ...now].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
};
