import { AdapterHttpError } from '../../adapter/adapter-http.js';
import type { Check } from '../../adapter/itsm-adapter.port.js';
import { PlatformAnswerError, retryAfterMs } from '../../adapter/platform-answer.js';
import type { TicketDraft } from '../../adapter/ticket-draft.js';
import { askBoards, readFailure } from './boards-api.js';
import type { Context } from './connector.js';
import { creationOf, renderWorkItem } from './work-item.js';
import { typeOf, workflowOf } from './workflow.js';

const TYPE = 'The project and the work item type exist';
const FIELDS = 'The process accepts the fields';

/** Stands for any ticket. */
const SAMPLE: TicketDraft = {
  ...{ key: '00000000-0000-4000-8000-000000000000', title: 'Test of the connector', severity: 'low', labels: [] },
  ...{ payload: {}, link: null },
};

/** Looks from the outside in, and ends at the first thing that is wrong. A work item is validated, and none is saved. */
export async function checkConnector(context: Context): Promise<Check[]> {
  const { settings, clock } = context;
  const { project } = settings;
  const checks: Check[] = [];
  try {
    const type = await typeOf(context);
    const workflow = await workflowOf(context, project, type);
    checks.push({ name: TYPE, status: 'passed', message: `${type}: ${[...workflow.keys()].join(', ')}.` });
    const categories = new Set(workflow.values());
    const isLiving = categories.has('Resolved') || categories.has('Completed');
    checks.push(
      isLiving
        ? { name: 'Work items can be resolved', status: 'passed', message: 'The type has a state for it.' }
        : {
            name: 'Work items can be resolved',
            status: 'warning',
            message: 'The type has no state of the category Resolved or Completed.',
          },
    );
    const creation = creationOf(type, renderWorkItem(SAMPLE, settings).body);
    const answer = await askBoards(context, { project, ...creation, query: { validateOnly: 'true' } });
    if (answer.status !== 200 || answer.json() === undefined) throw readFailure(answer, clock);
    checks.push({ name: FIELDS, status: 'passed', message: 'Azure DevOps validated a work item, and saved none.' });
    const wait = retryAfterMs(answer, clock);
    // Requests over the limit are delayed first: they succeed, with the advice to wait.
    if (wait !== undefined) {
      const message = `Azure DevOps delays the requests of this account, and asks to wait ${wait / 1_000} seconds.`;
      checks.push({ name: 'The account is within its rate limit', status: 'warning', message });
    }
  } catch (error) {
    if (!(error instanceof PlatformAnswerError || error instanceof AdapterHttpError)) throw error;
    checks.push({ name: checks.length === 0 ? TYPE : FIELDS, status: 'failed', message: error.message });
  }
  return checks;
}
