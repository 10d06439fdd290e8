import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
  type Resource,
} from '@opentelemetry/resources';
import { VERSION } from './version.js';

/**
 * The resource attributes of metrics and traces. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` take precedence.
 */
export function telemetryResource(): Resource {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'nest-llm-governance', 'service.version': VERSION }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
}
