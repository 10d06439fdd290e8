import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { AggregationTemporality, InstrumentType, type CollectionResult } from '@opentelemetry/sdk-metrics';

/**
 * Collects metrics for a page. Leaves out a gauge that cannot be read at the moment, for example during an outage of
 * the database. The original exporter would repeat the last value, and alerts could neither fire nor resolve.
 */
export class PageReader extends PrometheusExporter {
  private underway: Promise<CollectionResult> | undefined;

  constructor() {
    super({ preventServerStart: true });
  }

  override selectAggregationTemporality(type: InstrumentType): AggregationTemporality {
    return type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE;
  }

  /**
   * Concurrent calls share one collection. A gauge with delta temporality is reported only once. A second collection at
   * the same time would lack it.
   */
  override collect(): Promise<CollectionResult> {
    this.underway ??= super.collect().finally(() => (this.underway = undefined));
    return this.underway;
  }
}
