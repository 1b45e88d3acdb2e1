// Which hosts are this machine itself.

/** Whether an address is reached from this machine alone. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);
