// The version of the product. It equals the version in package.json, which a process does not read.
export const VERSION = '1.0.0';
