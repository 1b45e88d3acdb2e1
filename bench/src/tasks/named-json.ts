// Loaded before the service for a profile, in every thread. V8 counts the time of JSON.stringify and JSON.parse as their
// caller's own time, so functions with names call them here.
const { stringify, parse } = JSON;
JSON.stringify = function stringifyOfJson(...given: Parameters<typeof stringify>) {
  return stringify(...given);
} as typeof stringify;
JSON.parse = function parseOfJson(...given: Parameters<typeof parse>) {
  return parse(...given);
} as typeof parse;
