// Verifies files from the audit log without the service. README.md states what a verification proves.
// Formats: RFCs 9162 (tree), 8785 (JSON), 9901 (disclosures); C2SP signed-note, tlog-checkpoint, tlog-cosignature.

const failing = (exitCode) => (condition, message, info) => {
  if (!condition) throw Object.assign(new Error(message), { exitCode, info });
};
const mustHold = failing(1); // For the claims of a file.
const mustBe = failing(2); // For the format of files and arguments.
const mustCover = failing(3); // For the last events of a bundle, if the others hold.

// --- Bytes and JSON ---
const utf8 = (text) => new TextEncoder().encode(text);
const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const same = (a, b) => a.length === b.length && a.every((each, index) => each === b[index]);
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const URL_SAFE = { '+': '-', '/': '_', '=': '' };
const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (found) => URL_SAFE[found]);
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Decodes base64. Of several texts that decode to the same bytes, only the canonical one is allowed. */
const bytesOf = (text, what, length) => {
  mustBe(/^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0, `${what} is not base64`);
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  mustBe(btoa(atob(text)) === text && bytes.length === (length ?? bytes.length), `${what} is not canonical base64`);
  return bytes;
};

/** Parses the output of `JSON.stringify` with any white space, so that no name occurs twice. */
const parsed = (text, what) => {
  const value = JSON.parse(text);
  const dense = text.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g, '$1');
  mustBe(JSON.stringify(value) === dense, `${what} is not JSON as the service writes it`);
  return value;
};

/** Returns `value` if it is an object that has exactly these members. */
const having = (value, names, what) => {
  const isRight = isObject(value) && same(Object.keys(value).sort(), names.split(' ').sort());
  mustBe(isRight, `${what} must have the members ${names}, and no others`);
  return value;
};

/** Returns the canonical JSON (RFC 8785) of a value. */
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
};

const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;
/** Returns text without line ends and control characters, so that no value can imitate the program's output. */
const shown = (value) => (typeof value === 'string' ? value : canonical(value)).replace(/[\s\p{C}]+/gu, ' ');
/** Returns the verdict about a file that could not be verified. */
export const failureOf = ({ exitCode, message }) =>
  `NOT VERIFIED: ${(exitCode ?? 2) === 2 ? 'a file or an argument cannot be read: ' : ''}${shown(message)}`;

// --- The tree (RFC 9162, 2.1) ---
const leafHash = (leaf) => sha256(utf8(`\0${canonical(leaf)}`));
const nodeHash = (left, right) => sha256(joined([1], left, right));
/** Returns the number of leaves in the left subtree: the largest power of two below the size of the tree. */
const leftOf = (size) => 2 ** ((size - 1).toString(2).length - 1);

/** Returns the root that an inclusion proof (2.1.3.1) gives for a leaf. The last hash is next to the root. */
const rootWith = async (leaf, index, size, proof) => {
  mustHold(size > 1 === proof.length > 0, 'a proof does not fit the size of the tree');
  if (size === 1) return leaf;
  const [rest, sibling, left] = [proof.slice(0, -1), proof.at(-1), leftOf(size)];
  if (index < left) return nodeHash(await rootWith(leaf, index, left, rest), sibling);
  return nodeHash(sibling, await rootWith(leaf, index - left, size - left, rest));
};

/** Returns the old and new root of a consistency proof (2.1.4.1). `known` is the old root if the proof omits it. */
const rootsWith = async (oldSize, size, proof, known) => {
  const fits = oldSize < size ? proof.length > 0 : proof.length === (known ? 0 : 1);
  mustHold(fits, 'the proof does not fit the sizes of the trees');
  const [rest, last, left] = [proof.slice(0, -1), proof.at(-1), leftOf(size)];
  if (oldSize === size) return [known ?? last, known ?? last];
  if (oldSize > left) {
    const roots = await rootsWith(oldSize - left, size - left, rest);
    return Promise.all(roots.map((root) => nodeHash(last, root)));
  }
  const [before, after] = await rootsWith(oldSize, left, rest, known);
  return [before, await nodeHash(after, last)];
};

// --- Keys and checkpoints ---
const [LOG, WITNESS] = [1, 4];
const idOf = async (name, type, key) => (await sha256(joined(utf8(`${name}\n`), [type], key))).slice(0, 4);

/** Returns the name in a verifier key, and when it signed, in seconds: 0 without a time, undefined if not signed. */
const signedBy = async (verifierKey, type, { body, signatures }) => {
  const [, name, id, encoded = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(verifierKey.trim()) ?? [];
  const [written, ...bytes] = bytesOf(encoded, 'a verifier key');
  const isKnown = bytes.length === 32 && (written === type || written === LOG);
  mustBe(isKnown && hex(await idOf(name, written, bytes)) === id, `"${shown(verifierKey)}" is not a verifier key`);
  const mark = await idOf(name, type, bytes);
  const found = signatures.find((each) => each.name === name && same(each.bytes.slice(0, 4), mark));
  if (found === undefined) return { name };
  const key = await crypto.subtle.importKey('raw', joined(bytes), 'Ed25519', false, ['verify']);
  const start = type === WITNESS ? 12 : 4;
  const seconds = found.bytes.slice(4, start).reduce((sum, byte) => sum * 256 + byte, 0);
  const signed = type === WITNESS ? `cosignature/v1\ntime ${seconds}\n${body}` : body;
  const holds = await crypto.subtle.verify('Ed25519', key, found.bytes.slice(start), utf8(signed));
  mustHold(holds, `the checkpoint is not what ${name} signed`);
  return { name, seconds };
};

/** Verifies a checkpoint. Returns its origin, size and root hash, and output lines about its signatures. */
export const verifyCheckpoint = async (text, { keys, witnesses = [] }) => {
  const [, body = '', lines = ''] = /^((?:[^\n]+\n){3,})\n((?:\u2014 \S+ \S+\n)+)$/.exec(text) ?? [];
  const [origin, size, root] = body.split('\n');
  mustBe(/^(0|[1-9]\d{0,14})$/.test(size), 'the checkpoint needs an origin, size, root hash and signatures');
  const found = [...lines.matchAll(/ (\S+) (\S+)\n/g)];
  const signatures = found.map(([, name, encoded]) => ({ name, bytes: bytesOf(encoded, 'a signature') }));
  const by = (given, type) => Promise.all(given.map((key) => signedBy(key, type, { body, signatures })));
  const isSigned = (await by(keys, LOG)).some(({ name, seconds }) => name === origin && seconds === 0);
  mustHold(isSigned, `the checkpoint of ${shown(origin)} is not signed with a key that was given`);
  const info = [`log ${shown(origin)}, ${counted(Number(size), 'event')}`];
  for (const { name, seconds } of await by(witnesses, WITNESS)) {
    mustHold(seconds !== undefined, `the checkpoint of ${counted(Number(size), 'event')} is not cosigned by ${name}`);
    info.push(`cosigned by ${name} ${new Date(seconds * 1_000).toISOString()}`);
  }
  return { origin, size: Number(size), root: bytesOf(root, 'the root hash', 32), info };
};

// --- Evidence of the history of a profile ---
const HIDDEN = '(not disclosed)';
const UNPROVEN = 'That no later event of the user is in the log: a tree proves what is in it, not what is not.';
/** Returns the disclosed personal values of a payload by JSON pointer. Checks each value against its digest. */
const valuesOf = async (disclosures, payload, what) => {
  const [digests, values] = [new Map(Object.entries(payload?.digests ?? {})), new Map()];
  for (const each of disclosures) {
    const { salt, pointer, value } = having(each, 'salt pointer value', `a disclosure of ${what}`);
    const digest = base64url(await sha256(utf8(base64url(utf8(JSON.stringify([salt, pointer, value]))))));
    mustHold(digests.get(pointer) === digest, `the value of ${shown(pointer)} in ${what} is not the recorded one`);
    values.set(pointer, value);
  }
  return values;
};

/** Verifies that an event is in the log, and that its payload and its disclosed values are the recorded ones. */
const proven = async (entry, { size, root }, what) => {
  const { index, leaf, proof, payload, disclosures } = having(entry, 'index leaf proof payload disclosures', what);
  const { v, metadata, payloadSha256 } = having(leaf, 'v stream revision id type metadata payloadSha256', what);
  mustBe(v === 1 && Number.isSafeInteger(index) && Date.parse(metadata.at) >= 0, `${what} is not an event`);
  const path = proof.map((hash) => bytesOf(hash, `the proof of ${what}`, 32));
  const isInTree = index >= 0 && index < size && same(await rootWith(await leafHash(leaf), index, size, path), root);
  mustHold(isInTree, `${what} is not at index ${index} of the log`);
  const isRecorded = payload === null || hex(await sha256(utf8(canonical(payload)))) === payloadSha256;
  mustHold(isRecorded, `the payload of ${what} is not the recorded one`);
  return { ...metadata, ...leaf, index, payload, values: await valuesOf(disclosures, payload, what) };
};

/** Returns the name that a user had at an index of the log, if the file shows the name. */
const nameAt = (userId, index, events) => {
  const isNaming = (each) => each.stream === `user-${userId}` && /^User(Registered|Revised)$/.test(each.type);
  const found = events.filter((each) => isNaming(each) && each.index < index).sort((a, b) => a.index - b.index);
  const { payload, values } = found.at(-1) ?? {};
  const pointers = ['/firstName', '/lastName'].filter((pointer) => pointer in (payload?.digests ?? {}));
  const parts = pointers.map((pointer) => values.get(pointer) ?? HIDDEN);
  const name = parts.every((part) => part === HIDDEN) ? 'name not disclosed' : shown(parts.join(' '));
  return found.length > 0 ? `, ${name}` : '';
};

const linesOf = ({ at, type, revision, index, actor, origin, sessionId, payload, values }, events) => {
  const { profileId, sealed, digests, ...open } = payload;
  const personal = Object.keys(digests ?? {}).map((key) => [key.slice(1), values.get(key) ?? HIDDEN]);
  const fields = Object.entries({ origin, sessionId, ...open, ...Object.fromEntries(personal) });
  return [
    `${at}  ${shown(type)}, revision ${revision}, index ${index} of the log`,
    `  by ${shown(actor.id)}${nameAt(actor.id, index, events)} (${shown(actor.roles.join(', ') || 'no roles')})`,
    ...fields.flatMap(([name, value]) => ((value ?? null) === null ? [] : [`  ${shown(name)}: ${shown(value)}`])),
  ];
};

/** Verifies that the revisions of a user start at 0, have no gaps, and have the order of the log. */
const mustBeComplete = (revisions, stream) => {
  for (const [revision, event] of revisions.entries()) {
    mustHold(event.stream === stream && event.revision === revision, `revision ${revision} of the user is missing`);
    const before = revisions[revision - 1] ?? { index: -1, at: event.at };
    const isLater = before.index < event.index && Date.parse(before.at) <= Date.parse(event.at);
    mustHold(isLater, `revision ${revision} of the user is not later than the one before it`);
  }
};

/** Verifies evidence. Returns the lines of the history that the evidence proves. */
export const verifyEvidence = async (text, trust) => {
  const file = having(parsed(text, 'the file'), 'format subject checkpoint events next names unproven', 'the file');
  const { userId, profileId, asOf } = having(file.subject, 'userId profileId asOf', 'the subject');
  mustBe(asOf === null || new Date(asOf).toISOString() === asOf, 'asOf is not an instant');
  mustBe(file.format === 'clinical-protocols-evidence/1', 'the format of the file is not known');
  const checkpoint = await verifyCheckpoint(file.checkpoint, trust);
  const all = (entries, what) => Promise.all(entries.map((entry, at) => proven(entry, checkpoint, `${what} ${at}`)));
  const events = await all(file.events, 'revision');
  const later = await all(file.next === null ? [] : [file.next], 'the next revision');
  const names = await all(file.names, 'name');
  mustBeComplete([...events, ...later], `user-${userId}`);
  const bare = events.find((each) => each.payload === null && /^User(Registered|Revised|Erased|Prof)/.test(each.type));
  mustHold(!bare, `revision ${bare?.revision} lacks its payload`);
  const steps = events.filter(({ type, payload }) => type === 'UserErased' || payload?.profileId === profileId);
  mustHold(steps[0]?.type === 'UserProfileAdded', `the user ${userId} has no profile ${profileId}`);
  const isUntil = ({ at }) => Date.parse(at) <= Date.parse(asOf ?? at);
  mustHold(events.every(isUntil) && !later.some(isUntil), `the revisions are not those up to ${asOf}`);
  const until = asOf === null ? '' : `, ${later.length > 0 ? 'as of' : 'up to'} ${asOf}`;
  mustHold(file.unproven === (later.length > 0 ? null : UNPROVEN), 'the file is wrong about what it does not prove');
  return [
    `profile ${profileId} of user ${userId}${nameAt(userId, checkpoint.size, events)}${until}`,
    ...checkpoint.info,
    ...steps.flatMap((step) => linesOf(step, [...events, ...names])),
    later.length > 0
      ? `VERIFIED: this evidence is authentic and complete up to revision ${events.length - 1}; the next event is of ${later[0].at}`
      : `VERIFIED UP TO REVISION ${events.length - 1}: this evidence is authentic. Not proved: ${UNPROVEN}`,
  ];
};

// --- Bundles, and the consistency of two checkpoints: files, so Node.js only ---
const SHOWN = /^(at|actor|origin|sessionId|address|sealedAddress|correlationId|causationId|schemaVersion)$/;
/** Returns the leaf hash of the event in a line of a bundle. Verifies that the line shows what is hashed. */
const leafOfLine = async (line, seen, what) => {
  const { position, category, stream, revision, id, type, data, metadata, ...head } = parsed(line, what);
  const isTwice = ([name, value]) => SHOWN.test(name) && (value ?? head[name] ?? null) !== null;
  const isExact = Object.keys(head).every((name) => SHOWN.test(name)) && !Object.entries(metadata ?? {}).some(isTwice);
  mustHold(isExact && category === stream.split('-')[0], `${what} shows other values than those that were signed`);
  const at = Date.parse(head.at ?? metadata.at);
  const before = seen.get(stream) ?? { revision: -1, at };
  mustHold(revision === before.revision + 1, `${what} is not the next revision of ${shown(stream)}`);
  mustHold(at >= before.at && position >= (seen.get('') ?? ''), `${what} is not later than the events before it`);
  seen.set(stream, { revision, at }).set('', position);
  if (head.origin === null) delete head.origin;
  const leaf = { v: 1, stream, revision, id: id.toLowerCase(), type, metadata: { ...head, ...metadata } };
  return leafHash({ ...leaf, payloadSha256: hex(await sha256(utf8(canonical(data)))) });
};

/** Returns the leaf hashes of a bundle. Verifies that the bundle matches its manifest. */
const leavesOf = async (directory) => {
  const { createReadStream, readFileSync } = await import('node:fs');
  const [hash, seen, leaves] = [(await import('node:crypto')).createHash('sha256'), new Map(), []];
  let rest = '';
  for await (const chunk of createReadStream(`${directory}/events.jsonl`, 'utf8')) {
    hash.update(chunk);
    const [lines, next] = [(rest + chunk).split('\n'), leaves.length + 1];
    rest = lines.pop();
    leaves.push(...(await Promise.all(lines.map((line, at) => leafOfLine(line, seen, `line ${next + at}`)))));
  }
  const manifest = parsed(readFileSync(`${directory}/manifest.json`, 'utf8'), 'manifest.json');
  mustHold(rest === '' && manifest.sha256 === hash.digest('hex'), 'events.jsonl is not what manifest.json describes');
  return leaves;
};

/** Returns the roots of the trees of the first leaves by these sizes, in one pass. */
const rootsOf = async (leaves, sizes) => {
  const [roots, subtrees] = [new Map(), []];
  for (let [index, node] of leaves.entries()) {
    // Each bit that is set at the end of the index stands for a subtree that this leaf completes.
    for (let bits = index; bits % 2 === 1; bits >>= 1) node = await nodeHash(subtrees.pop(), node);
    subtrees.push(node);
    if (sizes.has(index + 1)) roots.set(index + 1, await subtrees.reduceRight(async (a, b) => nodeHash(b, await a)));
  }
  return roots;
};

const verifyBundle = async (checkpoints, leaves) => {
  const roots = await rootsOf(leaves, new Set(checkpoints.map(({ size }) => size)));
  for (const { origin, size, root } of checkpoints) {
    mustHold(size <= leaves.length, `the bundle has ${leaves.length} events, ${shown(origin)} has signed ${size}`);
    const isSigned = same(roots.get(size) ?? (await sha256(joined())), root);
    mustHold(isSigned, `the first ${size} events are not those that ${shown(origin)} has signed`);
  }
  const [info, signed] = [checkpoints.flatMap((each) => each.info), Math.max(0, ...roots.keys())];
  mustHold(signed > 0, 'no checkpoint covers an event of the bundle');
  const [all, rest] = [counted(leaves.length, 'event'), leaves.length - signed];
  const what = `after the newest checkpoint; the first ${signed} are authentic and complete`;
  mustCover(rest === 0, `${rest} of ${all} ${rest === 1 ? 'is' : 'are'} ${what}`, info);
  return [...info, `VERIFIED: this bundle of ${all} is authentic and complete`];
};

export const verifyConsistency = async (old, now, proof) => {
  const isLater = old.origin === now.origin && old.size <= now.size;
  mustHold(isLater, `${now.size} events of ${now.origin} cannot begin with ${old.size} of ${old.origin}`);
  const isEmpty = old.size === 0 && proof.length === 0;
  const [before, after] = isEmpty ? [old.root, now.root] : await rootsWith(old.size, now.size, proof, old.root);
  mustHold(same(before, old.root) && same(after, now.root), 'the log was rewritten between the two checkpoints');
  return [...now.info, `VERIFIED: this log begins with the ${counted(old.size, 'event')} of the older checkpoint`];
};

// --- The command line ---
const USAGE = `Verifies files from the audit log without the service:
  node verify.mjs EVIDENCE.json --key KEY          the history of one profile
  node verify.mjs BUNDLE [CHECKPOINT…] --key KEY   a directory that "audit export" wrote, and more checkpoints
  node verify.mjs OLD NEW --proof FILE --key KEY   the consistency of two checkpoints
KEY is the verifier key of the log. --witness KEY requires a cosignature. Both options may be repeated.
Exit codes: 0 verified, 1 not verified, 2 a file or an argument cannot be read, 3 a bundle is verified only in part.`;

const run = async (args) => {
  const [{ parseArgs }, { readFile, stat }] = await Promise.all([import('node:util'), import('node:fs/promises')]);
  const many = { type: 'string', multiple: true, default: [] };
  const options = { key: many, witness: many, proof: { type: 'string' } };
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const trust = { keys: values.key, witnesses: values.witness };
  const [first, ...others] = positionals;
  const isBundle = first !== undefined && !values.proof && (await stat(first)).isDirectory();
  const isUsable = first && trust.keys.length > 0 && (isBundle || others.length === (values.proof ? 1 : 0));
  mustBe(isUsable, 'the arguments do not fit the usage, which --help shows');
  const textOf = async (file) => new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  const checkpointIn = async (file) => verifyCheckpoint(await textOf(file), trust);
  if (values.proof) {
    const lines = (await textOf(values.proof)).split('\n').filter(Boolean);
    const proof = lines.map((line) => bytesOf(line, 'a line of the proof', 32));
    return verifyConsistency(await checkpointIn(first), await checkpointIn(others[0]), proof);
  }
  if (!isBundle) return verifyEvidence(await textOf(first), trust);
  mustHold((await stat(`${first}/events.jsonl`)).size > 0, 'the bundle has no events, and nothing signs an empty log');
  return verifyBundle(await Promise.all([`${first}/checkpoint`, ...others].map(checkpointIn)), await leavesOf(first));
};

const fileOf = async (path) => (await import('node:url')).pathToFileURL((await import('node:fs')).realpathSync(path));
if (globalThis.process?.argv?.[1] && (await fileOf(process.argv[1])).href === import.meta.url) {
  const args = process.argv.slice(2);
  try {
    console.log(args.join() === '--help' ? USAGE : (await run(args)).join('\n'));
  } catch (error) {
    console.log(args.length > 0 ? [...(error.info ?? []), failureOf(error)].join('\n') : USAGE);
    process.exitCode = error.exitCode ?? 2;
  }
}
