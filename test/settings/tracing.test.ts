// Tests the variables for traces.
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';

const ENDPOINT = 'http://localhost:4318';

describe('the collector', () => {
  it.each([ENDPOINT, 'https://user:password@collector.example.org/otlp'])('may be %s', (endpoint) =>
    expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }).isTraced).toBe(true),
  );

  it.each([{}, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }])('is absent with %j', (environment) =>
    expect(readConfig(environment).isTraced).toBe(false),
  );

  it.each(['localhost:4318', 'grpc://localhost:4317', 'http://', 'http://a b', 'http://a?token=secret', 'http://a#b'])(
    'may not be %j, which the message does not repeat',
    (endpoint) =>
      expect(() => readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toThrow(
        /^OTEL_EXPORTER_OTLP_ENDPOINT: must be (?!.*secret).* for example http:\S+$/,
      ),
  );
});

describe('the headers', () => {
  it.each(['authorization=Bearer%20token', 'a=1,b=2', 'a=b=c', 'x-tenant = hospital'])('may be %j', (headers) =>
    expect(() => readConfig({ OTEL_EXPORTER_OTLP_HEADERS: headers })).not.toThrow(),
  );

  it.each(['secret', '=secret', 'a=secret,', 'a=secret;b', 'a b=secret', 'a=secret%0a', 'a=secret%', 'a='])(
    'may not be %j, which the message does not repeat',
    (headers) =>
      expect(() => readConfig({ OTEL_EXPORTER_OTLP_HEADERS: headers })).toThrow(
        /^OTEL_EXPORTER_OTLP_HEADERS: must be (?!.*secret).* for example \S+$/,
      ),
  );
});
