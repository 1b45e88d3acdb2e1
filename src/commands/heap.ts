// How much of the heap a folded state holds, as far as that can be told without a look into V8.

// 64-bit V8 without compressed pointers: three words of an object or an array's elements and two of a string come before
// what they hold.
const WORD = 8;
const STRING_HEAD = 2 * WORD;
const OBJECT_HEAD = 3 * WORD;
const ARRAY_HEAD = 6 * WORD;

/**
 * Returns about the bytes of heap that a value of objects, arrays and primitives holds. What two members share counts
 * twice, so a state usually holds less.
 */
export const heapBytesOf = (value: unknown): number => {
  if (typeof value === 'string') return STRING_HEAD + value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = Array.isArray(value) ? ARRAY_HEAD : OBJECT_HEAD;
  for (const member of Object.values(value)) bytes += WORD + heapBytesOf(member);
  return bytes;
};
