// The error of an operator's mistake.

/** Signals a mistake in the use of the tool. The tool prints the message without a stack trace. */
export class UsageError extends Error {}
