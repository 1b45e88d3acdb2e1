// The signs of the console: lines of 24 by 24, in the colour of the text beside them.
const SIGNS = {
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18m0 4v5l3 2',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  cross: 'm6 6 12 12M18 6 6 18',
  start: 'm4 11 8-7 8 7v9h-5v-6H9v6H4z',
  approvals: 'M9 4h6v3H9zM9 5H5v16h14V5h-4M9 14l2 2 4-4',
  account: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 21c.6-4 4-6 8-6s7.400 2 8 6',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  warning: 'M12 4 2.500 20.500h19zM12 10v5m0 2.500v.5',
  back: 'm14 5-7 7 7 7',
} as const;

export type SignName = keyof typeof SIGNS;

/** A sign beside a word. The word says what the sign means, so readers aloud skip the sign. */
export const Sign = ({ name }: { readonly name: SignName }) => (
  <svg
    aria-hidden="true"
    width="1.15em"
    height="1.15em"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={name === 'more' ? 3 : 2}
    strokeLinecap="round"
    strokeLinejoin="round"
    style={{ verticalAlign: '-0.2em' }}
  >
    <path d={SIGNS[name]} />
  </svg>
);
