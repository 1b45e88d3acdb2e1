// The targets of the rows. The report says which rows miss their targets.

/** A bound of the median of a row's ratio to its baseline, or of the row's own figure. */
export type Target = { readonly of: 'ratio' | 'figure' } & ({ readonly atLeast: number } | { readonly atMost: number });

export const targets = {
  'post-crud': { of: 'ratio', atLeast: 2.4 },
  'post-256-crud': { of: 'ratio', atLeast: 2 },
  'post-256-p99': { of: 'figure', atMost: 120 },
  'post-1-crud': { of: 'ratio', atLeast: 0.6 },
  'questionnaire-crud': { of: 'ratio', atLeast: 1.4 },
  'get-form-after-writes-crud': { of: 'ratio', atLeast: 1.4 },
  'get-form-crud': { of: 'ratio', atLeast: 1.6 },
  'get-protocol-crud': { of: 'ratio', atLeast: 1.2 },
  'get-user': { of: 'ratio', atLeast: 1 },
  'get-list-crud': { of: 'ratio', atLeast: 2 },
  'get-token': { of: 'ratio', atLeast: 0.9 },
  'mixed-crud': { of: 'ratio', atLeast: 2 },
  decisions: { of: 'ratio', atLeast: 0.37 },
  scores: { of: 'ratio', atLeast: 2 },
  'sign-ins': { of: 'ratio', atLeast: 0.8 },
  append: { of: 'ratio', atLeast: 0.95 },
  replay: { of: 'ratio', atLeast: 0.18 },
  'eventstoredb-cpu': { of: 'figure', atMost: 975 },
  'eventstoredb-p99': { of: 'figure', atMost: 4 },
  'memory-resident': { of: 'figure', atMost: 400 },
  disk: { of: 'figure', atMost: 1.5 },
  'score-500': { of: 'figure', atMost: 10 },
  'refuse-500': { of: 'figure', atMost: 10 },
  'analysis-decided': { of: 'figure', atMost: 200 },
  'analysis-undecided': { of: 'figure', atMost: 200 },
  'analysis-turn': { of: 'figure', atMost: 20 },
  'analysis-memory': { of: 'figure', atMost: 128 },
  start: { of: 'ratio', atMost: 1.2 },
} as const satisfies Readonly<Record<string, Target>>;

export type TargetName = keyof typeof targets;
