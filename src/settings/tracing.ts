// Where traces go: the environment variables, each documented once, here. The SDK of OpenTelemetry reads them by itself.
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';

const AN_ENDPOINT = 'must be the http or https URL of a collector, for example http://localhost:4318';
const HEADERS =
  'must be names and percent-encoded values, with commas between them, for example authorization=Bearer%20token';

// The path of traces is added at the end, so nothing may stand behind the path.
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
  /** The collector that traces are sent to, by OTLP over HTTP; without it there are no traces. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().refine(isEndpoint, AN_ENDPOINT).optional(),
  /** The headers that the collector asks for, such as a token. */
  OTEL_EXPORTER_OTLP_HEADERS: z.string().refine(areHeaders, HEADERS).optional(),
  /** What the service is called in traces; by default clinical-protocols. */
  OTEL_SERVICE_NAME: z.string().optional(),
};

/** What the variables come to. */
export interface TracingSettings {
  readonly isTraced: boolean;
}

/** Takes the settings from the parsed environment. */
export const tracingSettingsOf = (environment: z.output<z.ZodObject<typeof tracingVariables>>): TracingSettings => ({
  isTraced: environment.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
});
