import { setHeader, type HttpResponse } from '#access';
import type { ReadReport } from '#database';

const HEADER = 'X-Governance-Data-As-Of';

/** The header of {@link datedReport} in the OpenAPI document. */
export const DATED = {
  [HEADER]: {
    description: 'Only where reports are read from a replica: the report has everything that was committed until then.',
    schema: { type: 'string', format: 'date-time' },
  },
} as const;

/**
 * Adds the header `X-Governance-Data-As-Of`, which states the age of the data, if the data may come from a replica.
 * Returns the report.
 */
export function datedReport<T>(response: HttpResponse, { report, asOf }: ReadReport<T>): T {
  if (asOf) setHeader(response, HEADER, asOf.toISOString());
  return report;
}
