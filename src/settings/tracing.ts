// The environment variables for traces. Each is documented here, once. The OpenTelemetry SDK reads them itself.
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';

const ENDPOINT_ADVICE = 'must be the http or https URL of a collector, for example http://localhost:4318';
const HEADERS_ADVICE =
  'must be names and percent-encoded values, separated by commas, for example authorization=Bearer%20token';

// The SDK appends the path of traces, so the URL must end with its path.
const isEndpoint = (text: string): boolean => /^https?:\/\/[^\s?#]+$/.test(text) && URL.canParse(text);

const areHeaders = (text: string): boolean => text.split(',').every(isHeader);

const isHeader = (text: string): boolean => {
  const [, name = '', value = ''] = /^([^=;]+)=([^;]+)$/.exec(text) ?? [];
  try {
    validateHeaderName(decodeURIComponent(name.trim()));
    validateHeaderValue(name, decodeURIComponent(value.trim()));
    return true;
  } catch {
    return false;
  }
};

/** The variables. */
export const tracingVariables = {
  /** The collector to which traces are sent with OTLP over HTTP. Without it, there are no traces. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().refine(isEndpoint, ENDPOINT_ADVICE).optional(),
  /** The headers that the collector requires, such as a token. */
  OTEL_EXPORTER_OTLP_HEADERS: z.string().refine(areHeaders, HEADERS_ADVICE).optional(),
  /** The name of the service in traces. Default: clinical-protocols. */
  OTEL_SERVICE_NAME: z.string().optional(),
};

/** The settings from these variables. */
export interface TracingSettings {
  readonly isTraced: boolean;
}

/** Returns the settings of a parsed environment. */
export const tracingSettingsOf = (environment: z.output<z.ZodObject<typeof tracingVariables>>): TracingSettings => ({
  isTraced: environment.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
});
