// Finds circles between the folders and between the files of a source tree.

interface Importing {
  readonly path: string;
  /** The paths of imported files, and the names of packages. */
  readonly imports: readonly string[];
}

/** Returns the folders that hold a file, from the root (an empty name) down. */
export const foldersAbove = (path: string): readonly string[] =>
  path.split('/').map((_, depth, segments) => segments.slice(0, depth).join('/'));

/**
 * Returns the members of a folder that are in circles with one of its folders, sorted. The members are its folders, each
 * with everything below it, and its files. A file may therefore use the folder of its parts, while the parts use another
 * file beside it.
 */
export const tangleIn = (folder: string, files: readonly Importing[]): readonly string[] => {
  const reached = importsIn(folder, files);
  for (const via of reached.keys()) reachThrough(via, reached);
  const members = [...reached.keys()];
  const isInCircle = (one: string, other: string) => reached.get(one)?.has(other) && reached.get(other)?.has(one);
  const isTangled = (one: string, other: string) => one !== other && (isFolder(one) || isFolder(other));
  return members.filter((one) => members.some((other) => isTangled(one, other) && isInCircle(one, other))).toSorted();
};

/** Returns the members that each member of a folder imports. */
const importsIn = (folder: string, files: readonly Importing[]): ReadonlyMap<string, Set<string>> => {
  const within = folder === '' ? '' : `${folder}/`;
  const memberOf = new Map(
    files.filter(({ path }) => path.startsWith(within)).map(({ path }) => [path, memberIn(within, path)]),
  );
  const imported = new Map([...memberOf.values()].map((member) => [member, new Set<string>()]));
  for (const { path, imports } of files) {
    const own = imported.get(memberOf.get(path) ?? '');
    for (const name of imports) own?.add(memberOf.get(name) ?? 'elsewhere');
  }
  return imported;
};

const memberIn = (within: string, path: string) => path.slice(within.length).split('/')[0] ?? '';

/** Adds what `via` reaches to every member that reaches `via` (a step of Warshall's transitive closure). */
const reachThrough = (via: string, reached: ReadonlyMap<string, Set<string>>): void => {
  for (const those of reached.values()) {
    if (those.has(via)) for (const next of reached.get(via) ?? []) those.add(next);
  }
};

const isFolder = (member: string) => !member.endsWith('.ts');

/** Returns the files that import themselves through others, sorted. */
export const circularIn = (files: readonly Importing[]): readonly string[] => {
  const reached = new Map(files.map(({ path, imports }) => [path, new Set(imports)]));
  for (const via of reached.keys()) reachThrough(via, reached);
  return [...reached].flatMap(([path, others]) => (others.has(path) ? [path] : [])).toSorted();
};
