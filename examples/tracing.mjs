// Sends the spans of the service to a collector with OTLP over HTTP. Load it before the service:
//   NODE_OPTIONS='--import ./examples/tracing.mjs' OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 npm start
// The SDK reads the variables that OpenTelemetry specifies. It patches no module: the service makes its spans itself.
import { isMainThread, workerData } from 'node:worker_threads';

// Every thread loads this file. Only the thread that serves and the thread of the worker make spans.
if (isMainThread || workerData?.role === 'worker') {
  const { NodeSDK, resources } = await import('@opentelemetry/sdk-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  new NodeSDK({
    serviceName: process.env.OTEL_SERVICE_NAME ?? 'clinical-protocols',
    // Only what the variables name: other detectors would send the arguments of a command, such as an e-mail address.
    resourceDetectors: [resources.envDetector],
    traceExporter: new OTLPTraceExporter(),
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
  }).start();
}
