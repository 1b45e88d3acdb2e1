// The version of the product. It equals the version in package.json, which a process does not read.
export const VERSION = '1.0.0-rc.1';

/** The version of the contract, which clients know. A release candidate of the product has the contract of its release. */
export const CONTRACT_VERSION = '1.0.0';
