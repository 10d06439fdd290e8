import { asObject, asText, type AdapterRequest } from 'nest-llm-governance/itsm';
import { ScriptedAdapterHttp, type PlatformAnswer } from 'nest-llm-governance/testing';

/** Acme Desk in memory, as its documentation describes it. */
export class AcmeDeskDouble {
  readonly tickets: Record<string, string>[] = [];
  readonly http = new ScriptedAdapterHttp(['https://acme.example'], request => this.answer(request));

  private answer({ method, url, headers, json }: AdapterRequest): PlatformAnswer {
    if (headers?.['authorization'] !== 'Bearer token-of-acme')
      return { status: 401, json: { message: 'Who is there?' } };
    const { pathname, searchParams } = new URL(url);
    if (pathname === '/api/me') return { status: 200, json: { can_create: true } };
    if (pathname === '/api/tickets' && method === 'POST') return this.create(asObject(json) ?? {});
    if (pathname === '/api/tickets') {
      const reference = searchParams.get('reference');
      const tickets = this.tickets.filter(ticket => ticket['reference'] === reference).toReversed();
      return { status: 200, json: { tickets } };
    }
    const ticket = this.tickets.find(({ id }) => pathname === `/api/tickets/${id}`);
    if (!ticket) return { status: 410 };
    const { note, ...more } = asObject(json) ?? {};
    if (method === 'POST') {
      const text = asText(note);
      Object.assign(ticket, more, text && { notes: `${text}\n---\n${ticket['notes']}` });
    }
    return { status: 200, json: ticket };
  }

  private create({ subject, text, reference, urgency }: Record<string, unknown>): PlatformAnswer {
    const isGood = typeof subject === 'string' && subject.length <= 100 && !/[\r\n]/.test(subject);
    if (!isGood) return { status: 422, json: { errors: { subject: 'must be one line of at most 100 characters' } } };
    if (String(text).length > 8_000) return { status: 422, json: { errors: { text: 'is too long' } } };
    const number = `AD-${this.tickets.length + 1}`;
    const id = crypto.randomUUID();
    const ticket = {
      id,
      number,
      reference: String(reference),
      state: 'new',
      urgency: String(urgency),
      resolution: '',
      notes: '',
      web_url: `https://acme.example/t/${number}`,
    };
    this.tickets.push(ticket);
    return { status: 201, json: ticket };
  }
}
