import {
  ApiAdapter,
  asText,
  defined,
  describeDraft,
  fieldTexts,
  form,
  objectIn,
  PlatformApi,
  titleOf,
  type AdapterContext,
  type AdapterResponse,
  type CreateOutcome,
  type Finding,
  type FoundTicket,
  type Look,
  type Reason,
  type RenderedTicket,
  type TicketDraft,
  type TicketRef,
} from 'nest-llm-governance/itsm';
import { refOf, statusOf, URGENCY } from './acme-desk.adapter.js';

const SETTINGS = form.of(['instance_url', 'queue'], {
  instance_url: form.url({ title: 'Instance URL' }),
  queue: form.text('Queue', 'Where new tickets go.', { minLength: 1, maxLength: 50 }),
});
const SECRETS = form.of(['api_token'], { api_token: form.token('API token', 'Its account needs the role “agent”.') });

type Settings = form.Values<typeof SETTINGS>;
type Secrets = form.Values<typeof SECRETS>;
type Context = AdapterContext<Settings, Secrets>;

/** The second version of Acme Desk: its tickets follow changes of their incidents. */
export class AcmeDeskApiAdapter extends ApiAdapter<Settings, Secrets> {
  readonly kind = 'acme_desk';
  readonly title = 'Acme Desk';
  readonly settingsSchema = SETTINGS;
  readonly secretsSchema = SECRETS;
  readonly capabilities = { priority: true, labels: true, comment: true, findByKey: 'strong' } as const;

  override origins({ instance_url }: Settings): string[] {
    return [new URL(instance_url).origin];
  }

  override render(draft: TicketDraft, { queue }: Settings): RenderedTicket {
    const [title, description, labels] = [titleOf(draft, 100), describeDraft(draft, 8_000), [...draft.labels]];
    const urgency = URGENCY[draft.severity];
    const body = { queue, subject: title, text: description, tags: labels, urgency, reference: draft.key };
    return { title, description, labels, body };
  }

  override create(context: Context, { body }: RenderedTicket): Promise<CreateOutcome> {
    return apiOf(context).create('/api/tickets', { json: body }, 201, refOf);
  }

  protected override looks(context: Context): Look[] {
    const look = async (): Promise<Finding> => {
      const me = await apiOf(context).read('/api/me');
      return me['can_create'] === true ? 'It may.' : { failed: 'Give the account of the token the role “agent”.' };
    };
    return [['The token may create tickets', look]];
  }

  protected override async search(context: Context, key: string): Promise<TicketRef[]> {
    const api = apiOf(context);
    const answer = await api.ask('/api/tickets', { query: { reference: key } });
    if (objectIn(answer)?.['error']) throw api.error(answer);
    return api.listIn(answer, 'tickets').flatMap(ticket => (ticket['reference'] === key && refOf(ticket)) || []);
  }

  protected override async read(context: Context, { platformId = '' }: TicketRef): Promise<FoundTicket | null> {
    const [api, path] = [apiOf(context), `/api/tickets/${encodeURIComponent(platformId)}`];
    const answer = await api.ask(path);
    if (answer.status === 410) return null;
    const ticket = api.objectIn(answer);
    const [status, resolution] = [statusOf(ticket), asText(ticket['resolution'])];
    return {
      state: status && defined({ status, resolution }),
      hasPriority: severity => ticket['urgency'] === URGENCY[severity],
      hasText: key => asText(ticket['notes'])?.includes(key) ?? false,
      write: async ({ text, to, severity }) => {
        const state = to && (to === 'resolved' ? 'solved' : 'new');
        const json = defined({ note: text, state, urgency: severity && URGENCY[severity] });
        const changed = await api.ask(path, { json });
        const now = statusOf(objectIn(changed));
        return api.changed(changed, 200, () => now !== undefined || undefined, now);
      },
    };
  }
}

function apiOf({ settings, secrets, http, clock }: Context): PlatformApi {
  const headers = { authorization: `Bearer ${secrets.api_token}` };
  return new PlatformApi({ name: 'Acme Desk', http, clock, base: settings.instance_url, headers, reasonIn });
}

/** Reads an error body: `{ errors }` or `{ message }`. */
function reasonIn(answer: AdapterResponse): Reason {
  const { message, errors } = objectIn(answer) ?? {};
  return { said: asText(message), fields: fieldTexts(errors) };
}
