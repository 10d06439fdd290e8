import {
  objectIn,
  PlatformAnswerError,
  type AdapterHttpError,
  type AdapterResponse,
  type TicketRef,
  type TicketState,
} from '#itsm';
import { AcmeDeskAdapter } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import { through, type Context } from './rewired.js';

// Copies of an adapter that each treat one kind of failure as an absent ticket, or miss existing tickets.

type Broken = new () => AcmeDeskAdapter;

/** Runs an operation. Returns its result, and the last answer; undefined if there was none. */
async function watched<Result>(
  context: Context,
  work: (context: Context) => Promise<Result>,
  otherwise: (response: AdapterResponse | undefined, error: Error) => Result | undefined,
): Promise<Result> {
  let last: AdapterResponse | undefined;
  try {
    return await work(through(context, async (request, pass) => (last = await pass(request))));
  } catch (error) {
    const result = error instanceof Error ? otherwise(last, error) : undefined;
    if (result === undefined) throw error;
    return result;
  }
}

/** Finds nothing if the platform answers with this status. */
export function nothingAt(status: number): Broken {
  return class extends AcmeDeskAdapter {
    override findByKey(context: Context, key: string): Promise<TicketRef[]> {
      const search = (each: Context): Promise<TicketRef[]> => super.findByKey(each, key);
      return watched(context, search, response => (response?.status === status ? [] : undefined));
    }
  };
}

/** Finds nothing if the platform returns its error with a success status. */
export class NothingInErrors extends AcmeDeskAdapter {
  override findByKey(context: Context, key: string): Promise<TicketRef[]> {
    const search = (each: Context): Promise<TicketRef[]> => super.findByKey(each, key);
    return watched(context, search, response =>
      response?.status === 200 && response.body.includes('"message"') ? [] : undefined,
    );
  }
}

/** Finds nothing if the connection failed in this way. */
export function nothingWithout(phase: AdapterHttpError['phase']): Broken {
  return class extends AcmeDeskAdapter {
    override findByKey(context: Context, key: string): Promise<TicketRef[]> {
      const search = (each: Context): Promise<TicketRef[]> => super.findByKey(each, key);
      return watched(context, search, (_, error) => ('phase' in error && error.phase === phase ? [] : undefined));
    }
  };
}

/** Wraps the result in a list, because null is a result here. */
async function looked(
  context: Context,
  look: (context: Context) => Promise<TicketState | null>,
  isGone: (response: AdapterResponse | undefined, error: Error) => boolean,
): Promise<TicketState | null> {
  const [state] = await watched<(TicketState | null)[]>(
    context,
    async each => [await look(each)],
    (response, error) => (isGone(response, error) ? [null] : undefined),
  );
  return state ?? null;
}

/** Reports a ticket as deleted if the platform answers with this status. */
export function goneAt(status: number): Broken {
  return class extends AcmeDeskAdapter {
    override status(context: Context, ref: TicketRef): Promise<TicketState | null> {
      const look = (each: Context): Promise<TicketState | null> => super.status(each, ref);
      return looked(context, look, response => response?.status === status);
    }
  };
}

/** Reports a ticket as deleted if the connection failed in this way. */
export function goneWithout(phase: AdapterHttpError['phase']): Broken {
  return class extends AcmeDeskAdapter {
    override status(context: Context, ref: TicketRef): Promise<TicketState | null> {
      const look = (each: Context): Promise<TicketState | null> => super.status(each, ref);
      return looked(context, look, (_, error) => 'phase' in error && error.phase === phase);
    }
  };
}

export class SearchingOpenTickets extends AcmeDeskAdapter {
  override async findByKey(context: Context, key: string): Promise<TicketRef[]> {
    const open: TicketRef[] = [];
    for (const ref of await super.findByKey(context, key)) {
      if ((await this.status(context, ref))?.status === 'open') open.push(ref);
    }
    return open;
  }
}

export class OldestFirst extends AcmeDeskAdapter {
  override async findByKey(context: Context, key: string): Promise<TicketRef[]> {
    return (await super.findByKey(context, key)).toReversed();
  }
}

/** Treats truncated JSON as the page of a hibernating instance. */
export class FragmentAsHibernating extends AcmeDeskAdapter {
  override async findByKey(context: Context, key: string): Promise<TicketRef[]> {
    let isFragment = false;
    const watched = through(context, async (request, pass) => {
      const response = await pass(request);
      isFragment = response.status === 200 && response.body.length > 0 && response.json() === undefined;
      return response;
    });
    try {
      return await super.findByKey(watched, key);
    } catch (error) {
      throw isFragment ? new PlatformAnswerError('Asleep.', { code: 'hibernating' }) : error;
    }
  }
}

/** Reads the list in an answer, and ignores the error in the same answer. */
export class IgnoringErrors extends AcmeDeskAdapter {
  override findByKey(context: Context, key: string): Promise<TicketRef[]> {
    const lenient = through(context, async (request, pass) => {
      const response = await pass(request);
      const json = objectIn(response);
      if (response.status !== 200 || !Array.isArray(json?.['tickets'])) return response;
      const { error: _ignored, ...withoutError } = json;
      return { ...response, json: () => withoutError };
    });
    return super.findByKey(lenient, key);
  }
}

/** Reports a ticket as deleted if the platform returns its error with a success status. */
export class GoneInErrors extends AcmeDeskAdapter {
  override status(context: Context, ref: TicketRef): Promise<TicketState | null> {
    const look = (each: Context): Promise<TicketState | null> => super.status(each, ref);
    return looked(context, look, response => response?.status === 200 && response.body.includes('"error"'));
  }
}
