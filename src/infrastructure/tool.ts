// The name of the operator's tool, for messages that tell an operator what to run.

/**
 * The operator's tool as its operator calls it: through npm in a checkout, else by the name of the command that the image
 * and docs/one-server.md install. npm sets the variable for what it starts.
 */
export const TOOL = process.env['npm_lifecycle_event'] === undefined ? 'clinical-protocols' : 'npm run cli --';
