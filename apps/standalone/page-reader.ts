import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { AggregationTemporality, InstrumentType, type CollectionResult } from '@opentelemetry/sdk-metrics';

/**
 * Collects metrics for a page. A gauge that could not be read now, as during an outage of the database, is left out.
 * The exporter alone would repeat the last value that it has seen, and an alert could neither fire nor end.
 */
export class PageReader extends PrometheusExporter {
  private underway: Promise<CollectionResult> | undefined;

  constructor() {
    super({ preventServerStart: true });
  }

  override selectAggregationTemporality(type: InstrumentType): AggregationTemporality {
    return type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE;
  }

  /** Collects once for all that ask meanwhile: an observation belongs to one collection only. */
  override collect(): Promise<CollectionResult> {
    this.underway ??= super.collect().finally(() => (this.underway = undefined));
    return this.underway;
  }
}
