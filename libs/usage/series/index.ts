export type { Dimension } from './dimension.js';
export type { MetricName } from './metrics.js';
export {
  UsageSeriesService,
  type SeriesGroup,
  type SeriesLine,
  type SeriesQuery,
  type UsageSeries,
} from './usage-series.service.js';
export type { ReportCurrency } from './conversion.js';
export { UsageFacets } from './facets.service.js';
