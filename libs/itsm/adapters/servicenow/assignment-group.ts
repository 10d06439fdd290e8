import { AdapterHttpError } from '../../adapter/adapter-http.js';
import type { Finding } from '../../adapter/api-adapter.js';
import type { AdapterContext } from '../../adapter/itsm-adapter.port.js';
import type { CreateOutcome } from '../../adapter/create-outcome.js';
import { outcomeOfRefusal, PlatformAnswerError, refusal } from '../../adapter/platform-answer.js';
import { oneLine } from '../../adapter/ticket-text.js';
import { GROUP_TABLE } from './account-rights.js';
import { baseOf, askTable, fieldOf, hidesRecords, queryValue, reasonIn, recordsIn, resultIn } from './table-api.js';
import type { ServiceNowSecrets, ServiceNowSettings } from './connector.js';

type Context = AdapterContext<ServiceNowSettings, ServiceNowSecrets>;

/** The sys_id of a group, or the problem because of which the incident gets no group. */
export type Group = { readonly sysId: string } | { readonly problem: string };

const UNREADABLE = 'The account may not look up groups: incidents are created without one.';

const NO_LIST = 'The instance did not return a list of groups: incidents are created without one.';

const KEPT_MS = 300_000;
const MOST_KEPT = 1_000;

/** Resolves group names. Caches results for five minutes. */
export class AssignmentGroups {
  private readonly kept = new Map<string, { group: Group; until: number }>();

  /**
   * Returns the group of a connector. Undefined if none is configured. If the ticket cannot be created at the moment,
   * returns an outcome instead.
   */
  async resolve(context: Context): Promise<Group | { readonly outcome: CreateOutcome } | undefined> {
    const { settings, clock } = context;
    const name = oneLine(settings.assignment_group ?? '');
    if (name === '') return undefined;
    const known = this.kept.get(placeOf(context));
    if (known && known.until > clock.now().getTime()) return known.group;
    return this.lookUp(context, name);
  }

  /** Checks the group without the cache. */
  async look(context: Context): Promise<Finding> {
    this.forget(context);
    const found = await this.resolve(context);
    if (found === undefined) return undefined;
    if ('sysId' in found) return 'Incidents will be assigned to the group.';
    if ('problem' in found) return { warning: found.problem };
    return { failed: 'message' in found.outcome ? found.outcome.message : '' };
  }

  forget(context: Context): void {
    this.kept.delete(placeOf(context));
  }

  private async lookUp(context: Context, name: string): Promise<Group | { readonly outcome: CreateOutcome }> {
    const value = queryValue(name);
    const parameters = {
      ...{ sysparm_query: `name=${value}^active=true`, sysparm_fields: 'sys_id,name', sysparm_limit: '10' },
    };
    if (value === undefined) return { problem: missing(name) };
    try {
      const response = await askTable(context, GROUP_TABLE, parameters);
      const { status } = response;
      if (status === 403 || status === 404) {
        return { problem: UNREADABLE };
      }
      if (status !== 200) return { outcome: refused(response, context) };
      if (!Array.isArray(resultIn(response, context.clock))) return { problem: NO_LIST };
      const records = recordsIn(response, context.clock);
      if (hidesRecords(response, records)) return { problem: UNREADABLE };
      const named = records.filter(record => fieldOf(record, 'name')?.toLowerCase() === name.toLowerCase());
      const sysIds = named.map(record => fieldOf(record, 'sys_id'));
      return this.keep(context, chosen(name, sysIds));
    } catch (error) {
      if (!(error instanceof AdapterHttpError || error instanceof PlatformAnswerError)) throw error;
      const { message } = error;
      const code = error instanceof PlatformAnswerError ? error.platform.code : undefined;
      if (code !== undefined) return { outcome: { kind: 'rejected', code, message } };
      // The lookup only reads, so no incident was created.
      return { outcome: { kind: 'retryable', message } };
    }
  }

  private keep(context: Context, group: Group): Group {
    if (this.kept.size >= MOST_KEPT) this.kept.clear();
    this.kept.set(placeOf(context), { group, until: context.clock.now().getTime() + KEPT_MS });
    return group;
  }
}

function refused(response: Parameters<typeof reasonIn>[0], { clock }: Context): CreateOutcome {
  const outcome = outcomeOfRefusal(response, clock, reasonIn(response));
  return outcome.kind === 'uncertain' ? { kind: 'retryable', message: refusal(response).message } : outcome;
}

function chosen(name: string, sysIds: readonly (string | undefined)[]): Group {
  const [sysId, ...others] = sysIds.filter(id => id !== undefined);
  if (sysId === undefined) return { problem: missing(name) };
  if (others.length === 0) return { sysId };
  return { problem: `Several active groups are called “${name}”: incidents are created without one.` };
}

function missing(name: string): string {
  return `No active group is called “${name}”: incidents are created without one.`;
}

function placeOf({ settings, secrets }: Context): string {
  return JSON.stringify([baseOf(settings), secrets.username, secrets.client_id, settings.assignment_group]);
}
