// Product and baseline take turns, so that what disturbs the machine for a while disturbs both.

/** Runs every contender once a round, in turn forwards and backwards, and gives the samples of each by round. */
export const interleaved = async <Name extends string, Sample>(
  contenders: Readonly<Record<Name, () => Promise<Sample>>>,
  rounds: number,
): Promise<Readonly<Record<Name, readonly Sample[]>>> => {
  const names = Object.keys(contenders) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as Sample[]])) as Record<Name, Sample[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) samples[name].push(await contenders[name]());
  }
  return samples;
};
