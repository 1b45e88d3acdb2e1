// What an operator did wrong.

/** Is told without a trace. */
export class UsageError extends Error {}
