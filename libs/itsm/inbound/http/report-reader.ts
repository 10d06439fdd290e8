import { isDeepStrictEqual } from 'node:util';
import { Injectable, Logger } from '@nestjs/common';
import { readInput } from '#access';
import { messageOf, type JsonObject } from '#core';
import type { InboundReport } from '../../adapter/inbound-report.js';
import type { InboundUpdate } from '../../adapter/ticket-state.js';
import { AdapterRegistry } from '../../connectors/adapter-registry.js';
import { lineOf } from '../report-text.js';
import { isTicketStatus } from '../report.js';
import { InboundReportDto } from './inbound.dto.js';
import { readTime } from './read-time.js';

const ID_MAX = 255;

/** A report, and the platforms whose format the report has. Editions of one platform may share a format. */
export interface ReadReport {
  readonly update: InboundUpdate;
  readonly kinds?: readonly string[];
}

/** Parses reports in the format of this service, and in the platforms' own formats. */
@Injectable()
export class ReportReader {
  private readonly logger = new Logger('Governance');

  constructor(private readonly adapters: AdapterRegistry) {}

  /** Parses a report. @throws BadRequestError naming the invalid fields, if no format matches */
  read(body: unknown, report: InboundReport): ReadReport {
    return this.readNative(body, report) ?? { update: fromOwnForm(readInput(InboundReportDto, body, 'body')) };
  }

  /** Parses a report in a platform's own format; undefined if no adapter recognizes the report. */
  readNative(body: unknown, report: InboundReport): ReadReport | undefined {
    return isOwnForm(body) ? undefined : this.native(body, report);
  }

  private native(body: unknown, report: InboundReport): ReadReport | undefined {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
    const readings = this.adapters.all.flatMap(adapter => {
      // The body was parsed as JSON.
      const update = this.mapped(() => adapter.mapInbound?.(body as JsonObject, report), adapter.kind);
      return update ? [{ update, kind: adapter.kind }] : [];
    });
    const [first] = readings;
    if (!first) return undefined;
    const same = readings.filter(({ update }) => isDeepStrictEqual(update, first.update));
    return { update: first.update, kinds: same.map(({ kind }) => kind) };
  }

  /** An adapter of the host may throw for a body that an unknown sender has made. */
  private mapped(map: () => InboundUpdate | null | undefined, kind: string): InboundUpdate | undefined {
    try {
      const update = map();
      return update && isFit(update) ? update : undefined;
    } catch (error) {
      this.logger.warn(`The adapter ${kind} could not read a report: ${messageOf(error)}`);
      return undefined;
    }
  }
}

/** Whether a body has the format of this service. */
export function isOwnForm(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'external_ticket_id' in body;
}

function isFit({ externalTicketId, platformId = '', status, eventId, occurredAt }: InboundUpdate): boolean {
  const isNamed = externalTicketId === lineOf(externalTicketId, ID_MAX) && externalTicketId !== '';
  const isTimed = occurredAt === undefined || !Number.isNaN(occurredAt.getTime());
  return (
    isNamed &&
    isTimed &&
    isTicketStatus(status) &&
    platformId.length <= ID_MAX &&
    (eventId === undefined || eventId.length <= ID_MAX)
  );
}

function fromOwnForm(body: InboundReportDto): InboundUpdate {
  const { external_ticket_id: externalTicketId, status, event_id, occurred_at } = body;
  const occurredAt = readTime(occurred_at);
  return {
    externalTicketId,
    status,
    ...said('resolution', body.resolution),
    ...said('notes', body.notes),
    ...said('updatedBy', body.updated_by),
    ...(body.platform_id ? { platformId: body.platform_id } : {}),
    ...(event_id ? { eventId: event_id } : {}),
    ...(occurredAt ? { occurredAt } : {}),
  };
}

/** Some platforms send an empty text as null. */
function said<K extends string>(name: K, text: string | null | undefined): { [key in K]?: string } {
  // Whether the object has this key and no other.
  return (text === undefined ? {} : { [name]: text ?? '' }) as { [key in K]?: string };
}
