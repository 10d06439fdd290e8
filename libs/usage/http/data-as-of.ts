import { setHeader, type HttpResponse } from '#access';
import type { ReadReport } from '#database';

/** Says in the header `X-Governance-Data-As-Of` how old the data is, if it may come from a replica; returns the report. */
export function datedReport<T>(response: HttpResponse, { report, asOf }: ReadReport<T>): T {
  if (asOf) setHeader(response, 'X-Governance-Data-As-Of', asOf.toISOString());
  return report;
}
