// What a server says at /metrics.

/** The values of the metrics of a server, by name; of a name with labels all values. */
export const readMetrics = async (url: string): Promise<ReadonlyMap<string, readonly number[]>> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = new Map<string, number[]>();
  for (const [, name = '', value] of text.matchAll(/^(\w+)(?:\{[^}]*\})? (\S+)$/gm)) {
    values.set(name, [...(values.get(name) ?? []), Number(value)]);
  }
  return values;
};
