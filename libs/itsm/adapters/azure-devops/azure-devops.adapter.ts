import { Injectable } from '@nestjs/common';
import { isUuid, type Json, type JsonObject } from '#core';
import type { AdapterResponse } from '../../adapter/adapter-http.js';
import type { CreateOutcome, TicketRef } from '../../adapter/create-outcome.js';
import { ItsmAdapter, type AdapterCapabilities, type Check } from '../../adapter/itsm-adapter.port.js';
import { outcomeOfLookup } from '../../adapter/other-outcomes.js';
import { asObject, asText, objectIn, PlatformAnswerError } from '../../adapter/platform-answer.js';
import type { RenderedTicket, TicketDraft } from '../../adapter/ticket-draft.js';
import type { TicketChange, UpdateOutcome } from '../../adapter/ticket-change.js';
import type { InboundUpdate, TicketState } from '../../adapter/ticket-state.js';
import { askBoards, outcomeOfTrouble, readList, refOf } from './boards-api.js';
import {
  FIELD,
  SECRETS_SCHEMA,
  SETTINGS_SCHEMA,
  type AzureDevOpsSecrets,
  type AzureDevOpsSettings,
  type Context,
} from './connector.js';
import { creationOf, keyTag, renderWorkItem } from './work-item.js';
import { checkConnector } from './work-item-checks.js';
import { readItem, updateWorkItem } from './work-item-update.js';
import { inboundOf, stateOf, typeOf } from './workflow.js';

const CREATE_TIMEOUT_MS = 15_000;
/** More than one key ever has. */
const MOST_OF_ONE_KEY = '50';

/**
 * Work items in Azure DevOps Services and Server, by its REST API, version 7.1
 * (https://learn.microsoft.com/rest/api/azure/devops/wit/?view=azure-devops-rest-7.1). Nothing promises that a query sees
 * what was created a moment ago, so searches count as eventual.
 */
@Injectable()
export class AzureDevOpsAdapter extends ItsmAdapter<AzureDevOpsSettings, AzureDevOpsSecrets> {
  readonly kind = 'azure_devops';
  readonly title = 'Azure DevOps';
  readonly settingsSchema = SETTINGS_SCHEMA;
  readonly secretsSchema = SECRETS_SCHEMA;
  readonly capabilities: AdapterCapabilities = { priority: true, labels: true, comment: true, findByKey: 'eventual' };

  override origins({ organization_url }: AzureDevOpsSettings): readonly string[] {
    return [new URL(organization_url).origin];
  }

  override render(draft: TicketDraft, settings: AzureDevOpsSettings): RenderedTicket<Json> {
    return renderWorkItem(draft, settings);
  }

  /** 203 brings the page to sign in. */
  override isSuccess({ status }: AdapterResponse): boolean {
    return status === 200;
  }

  override verify(context: Context): Promise<Check[]> {
    return checkConnector(context);
  }

  override async create(context: Context, ticket: RenderedTicket<Json>): Promise<CreateOutcome> {
    let type: string;
    try {
      type = await typeOf(context);
    } catch (error) {
      return outcomeOfLookup(error);
    }
    const { project } = context.settings;
    const answer = await askBoards(context, {
      ...{ project, ...creationOf(type, ticket.body), timeoutMs: CREATE_TIMEOUT_MS },
    });
    const ref = answer.status === 200 ? refOf(objectIn(answer) ?? {}, context) : undefined;
    return ref ? { kind: 'created', ref } : outcomeOfTrouble(answer, context.clock);
  }

  override async findByKey(context: Context, key: string): Promise<TicketRef[]> {
    // A key is a UUID; anything else was never given to a work item, and could be a query of its own.
    if (!isUuid(key)) return [];
    const query = `SELECT [System.Id] FROM WorkItems WHERE [System.Tags] CONTAINS '${keyTag(key)}'`;
    const wiql = { path: 'wiql', query: { $top: MOST_OF_ONE_KEY }, json: { query } };
    const found = await readList(context, 'workItems', wiql);
    if (found.length === 0) return [];
    // The answer names ids only.
    const ids = found.map(item => refOf(item, context)?.externalTicketId ?? '').join();
    const items = await readList(context, 'value', { path: 'workitems', query: { ids, fields: FIELD.tags } });
    const refs = items.filter(item => hasTag(item, keyTag(key))).flatMap(item => refOf(item, context) ?? []);
    return refs.toSorted((a, b) => Number(b.externalTicketId) - Number(a.externalTicketId));
  }

  override async status(context: Context, ref: TicketRef): Promise<TicketState | null> {
    const item = await readItem(context, ref);
    if (!item) return null;
    const state = stateOf(item.fields, item.workflow);
    if (state) return state;
    throw new PlatformAnswerError('The work item is in a state that its type does not have.');
  }

  override update(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    return updateWorkItem(context, ref, change);
  }

  override mapInbound(body: JsonObject): InboundUpdate | null {
    return inboundOf(body);
  }
}

function hasTag({ fields }: JsonObject, tag: string): boolean {
  const { [FIELD.tags]: tags = '' } = asObject(fields) ?? {};
  return (asText(tags) ?? '').split(';').some(each => each.trim().toLowerCase() === tag.toLowerCase());
}
