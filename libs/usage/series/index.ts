export { dimensionOf, GROUP_BY_MAX, NAMED_DIMENSIONS, type Dimension } from './dimension.js';
export { METRICS, type Figures, type MetricName } from './figures.js';
export {
  ORGANIZATION_ZONE,
  UsageSeriesService,
  type SeriesGroup,
  type SeriesLine,
  type SeriesQuery,
  type UsageSeries,
} from './usage-series.service.js';
export { UsageFacets } from './facets.service.js';
