// Reads the metrics of a server.

/** Returns the values in `/metrics` by name. A metric with labels has several values. */
export const readMetrics = async (url: string): Promise<ReadonlyMap<string, readonly number[]>> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = new Map<string, number[]>();
  for (const [, name = '', value] of text.matchAll(/^(\w+)(?:\{[^}]*\})? (\S+)$/gm)) {
    values.set(name, [...(values.get(name) ?? []), Number(value)]);
  }
  return values;
};
