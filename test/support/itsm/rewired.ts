import {
  AdapterHttp,
  type AdapterContext,
  type AdapterRequest,
  type AdapterResponse,
  type Check,
  type CreateOutcome,
  type RenderedTicket,
  type TicketRef,
} from '#itsm';
import {
  AcmeDeskAdapter,
  type AcmeDeskSecrets,
  type AcmeDeskSettings,
} from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';

export type Context = AdapterContext<AcmeDeskSettings, AcmeDeskSecrets>;
export type Pass = (request: AdapterRequest) => Promise<AdapterResponse>;

/** The same context with a layer between the adapter and its platform. */
export function through(
  context: Context,
  between: (request: AdapterRequest, pass: Pass) => Promise<AdapterResponse>,
): Context {
  const { http } = context;
  class Between extends AdapterHttp {
    override request(request: AdapterRequest): Promise<AdapterResponse> {
      return between(request, each => http.request(each));
    }
  }
  return { ...context, http: new Between() };
}

/** An adapter whose requests pass through `between`, which can change them and their answers. */
export abstract class Rewired extends AcmeDeskAdapter {
  abstract between(request: AdapterRequest, pass: Pass, context: Context): Promise<AdapterResponse>;

  override create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    return super.create(this.rewire(context), ticket);
  }

  override findByKey(context: Context, key: string): Promise<TicketRef[]> {
    return super.findByKey(this.rewire(context), key);
  }

  override verify(context: Context): Promise<Check[]> {
    return super.verify(this.rewire(context));
  }

  private rewire(context: Context): Context {
    return through(context, (request, pass) => this.between(request, pass, context));
  }
}
