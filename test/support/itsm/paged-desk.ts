import {
  asObject,
  asText,
  jsonOf,
  objectIn,
  PlatformAnswerError,
  readPages,
  type AdapterHttp,
  type AdapterRequest,
  type TicketRef,
} from '#itsm';
import { ScriptedAdapterHttp, type ItsmAdapterGround } from 'nest-llm-governance/testing';
import {
  AcmeDeskAdapter,
  refOf,
  type AcmeDeskSecrets,
  type AcmeDeskSettings,
} from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import type { Context } from './rewired.js';

type Ground = ItsmAdapterGround<AcmeDeskSettings, AcmeDeskSecrets>;

/** Reads the first page of a search only. */
export class FirstPageOnly extends AcmeDeskAdapter {}

/** Acme Desk's adapter, which reads all pages of a search. */
export class PagedDesk extends FirstPageOnly {
  override findByKey(context: Context, key: string): Promise<TicketRef[]> {
    return readPages<TicketRef, string>(async (page = '0') => {
      const query = new URLSearchParams({ reference: key, page });
      const response = await this.ask(context, `/api/tickets?${query.toString()}`);
      const { tickets, error, next } = asObject(jsonOf(response, context.clock)) ?? {};
      if (error || !Array.isArray(tickets)) throw new PlatformAnswerError('Acme Desk’s answer holds no tickets.');
      const carrying = tickets.map(asObject).filter(ticket => ticket?.['reference'] === key);
      return { items: carrying.flatMap(ticket => (ticket && refOf(ticket)) ?? []), next: asText(next) };
    });
  }
}

/** Acme Desk with pages of search results. `next` names the next page. */
export function pagedGround(ground: Ground): Ground {
  let size = 100;
  return { ...ground, http: pagesOf(ground.http, () => size), paginate: () => void (size = 1) };
}

function pagesOf(desk: AdapterHttp, size: () => number): AdapterHttp {
  return new ScriptedAdapterHttp(['https://acme.example'], async (request: AdapterRequest) => {
    const { status, headers, body, ...answer } = await desk.request(request);
    const tickets = objectIn({ status, headers, body, ...answer })?.['tickets'];
    if (!Array.isArray(tickets)) return { status, headers, text: body.toString() };
    const page = Number(new URL(request.url).searchParams.get('page') ?? 0);
    const end = (page + 1) * size();
    const next = end < tickets.length ? String(page + 1) : null;
    return { status, headers, json: { tickets: tickets.slice(page * size(), end), next } };
  });
}
