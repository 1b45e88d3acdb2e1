// Estimates how much of the heap a folded state holds, without inspecting V8.

// 64-bit V8 without compressed pointers: an object or the elements of an array have a header of three words, a string
// has a header of two.
const WORD = 8;
const STRING_HEAD = 2 * WORD;
const OBJECT_HEAD = 3 * WORD;
const ARRAY_HEAD = 6 * WORD;

/**
 * Estimates the bytes of heap that a value of objects, arrays and primitives holds. Counts shared members twice, so a
 * state usually holds less.
 */
export const heapBytesOf = (value: unknown): number => {
  if (typeof value === 'string') return STRING_HEAD + value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = Array.isArray(value) ? ARRAY_HEAD : OBJECT_HEAD;
  for (const member of Object.values(value)) bytes += WORD + heapBytesOf(member);
  return bytes;
};
