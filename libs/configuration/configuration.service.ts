import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  GovernanceError,
  type FieldError,
  type Json,
  type JsonObject,
} from '#core';
import { ApplyTurns } from './apply-turns.js';
import { AmbiguousNamesError } from './configuration.errors.js';
import {
  ConfigurationKinds,
  type ConfigurationKind,
  type ConfigurationObject,
  type ShownOnce,
} from './kinds/configuration-kind.port.js';
import type { FieldChange } from './plan/differences.js';
import { fixedFaults, OUTCOMES, repeatedNames, stepsOf, type KindState, type Outcome, type Step } from './plan/plan.js';
import { CONFIGURATION_VERSION, entriesOf, placed, readEntries } from './read-document.js';

/** How a document is applied. */
export interface ApplyOptions {
  /** Only compares, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
  /**
   * Removes objects that the document does not contain. Affects only the kinds that the document names. Default: false.
   */
  readonly prune?: boolean | undefined;
}

/** Outcome for one object. */
export interface AppliedObject {
  readonly kind: string;
  readonly name: string;
  readonly outcome: Outcome;
  readonly changes: readonly FieldChange[];
  /** Values that only this response contains, such as the signing secret of a new webhook. */
  readonly shownOnce?: ShownOnce;
}

/** The outcomes for all objects. In a dry run, the outcomes that an actual run would have. */
export interface ApplyReport {
  readonly dryRun: boolean;
  readonly counts: Readonly<Record<Outcome, number>>;
  /** The objects that differ from the document, in the order in which they were processed. */
  readonly objects: readonly AppliedObject[];
}

/**
 * Exports the configuration of an organization as one document, and applies documents by name. Each object is changed
 * in its own transaction, with its audit entry. If an apply is interrupted, each object is either unchanged or as in
 * the document. Applying the document again completes the rest.
 */
@Injectable()
export class ConfigurationService {
  constructor(
    private readonly kinds: ConfigurationKinds,
    private readonly turns: ApplyTurns,
  ) {}

  /**
   * Exports everything that can be configured, by name, without secrets. Equal configurations result in equal
   * documents.
   * @throws ForbiddenError if the actor lacks a scope of a kind
   * @throws AmbiguousNamesError
   */
  async export(actor: Actor): Promise<JsonObject> {
    for (const kind of this.kinds.all) requireScopes(actor, kind, kind.reads);
    const document: Record<string, Json> = { version: CONFIGURATION_VERSION };
    for (const kind of this.kinds.all) {
      const stored = await storedOf(kind, actor.orgId);
      const objects = stored.map(({ fields, secrets }): JsonObject =>
        Object.assign({}, fields, secrets === undefined ? {} : { secrets }),
      );
      document[kind.kind] = kind.isSingle ? (objects[0] ?? {}) : objects;
    }
    return document;
  }

  /**
   * Changes the configuration to match a document. The whole document is checked before anything changes. Kinds that
   * the document does not name stay unchanged. In the named kinds, a missing field gets its default.
   * @throws BadRequestError naming every invalid field
   * @throws ForbiddenError if the actor lacks a scope of a kind
   * @throws AmbiguousNamesError
   * @throws ConfigurationBusyError while another document is applied to the organization
   */
  async apply(actor: Actor, document: unknown, { dryRun = false, prune = false }: ApplyOptions): Promise<ApplyReport> {
    const entries = entriesOf(document, this.kinds);
    for (const { kind } of entries) requireScopes(actor, kind, [...kind.reads, kind.writes]);
    const plan = async (): Promise<Step[]> => {
      const wanted = await readEntries(actor.orgId, entries);
      const states: KindState[] = [];
      for (const [kind, objects] of wanted) states.push(await stateOf(kind, actor.orgId, objects));
      const steps = states.flatMap(state => stepsOf(state, prune));
      await this.check(actor.orgId, steps);
      return steps;
    };
    if (dryRun) return reportOf(true, await plan(), new Map());
    return this.turns.take(actor.orgId, async () => {
      const steps = await plan();
      return reportOf(false, steps, await carryOut(actor, steps));
    });
  }

  /** @throws BadRequestError naming changed fields that must not change, and names of objects that do not exist */
  private async check(orgId: string, steps: readonly Step[]): Promise<void> {
    const faults: FieldError[] = [];
    for (const step of steps) {
      const place = `${step.kind.kind} ${JSON.stringify(step.name)}`;
      for (const { field, message } of fixedFaults(step)) faults.push({ field: `${place}.${field}`, message });
      for (const { kind, name, field } of step.wanted?.refers ?? []) {
        if (await this.willExist(orgId, steps, kind, name)) continue;
        const message = `there is no ${JSON.stringify(name)} among the ${kind}`;
        faults.push({ field: `${place}.${field}`, message });
      }
    }
    if (faults.length > 0) throw BadRequestError.fields(faults);
  }

  private async willExist(orgId: string, steps: readonly Step[], kind: string, name: string): Promise<boolean> {
    const step = steps.find(each => each.kind.kind === kind && each.name === name);
    if (step) return step.outcome !== 'pruned';
    if (steps.some(each => each.kind.kind === kind)) return false;
    const stored = (await this.kinds.named(kind)?.list(orgId)) ?? [];
    return stored.some(object => object.name === name);
  }
}

async function stateOf(kind: ConfigurationKind, orgId: string, wanted: KindState['wanted']): Promise<KindState> {
  const stored = await storedOf(kind, orgId);
  const ids = new Map(stored.map(({ name, id }) => [name, id]));
  const secrets = new Map<string, readonly string[]>();
  for (const object of wanted) {
    const id = ids.get(object.name);
    if (id !== undefined && object.secrets) secrets.set(object.name, await kind.changedSecrets(orgId, id, object));
  }
  return { kind, stored, wanted, secrets };
}

/** The objects of a kind, ordered by name. @throws AmbiguousNamesError */
async function storedOf(kind: ConfigurationKind, orgId: string): Promise<ConfigurationObject[]> {
  const stored = await kind.list(orgId);
  const repeated = repeatedNames(stored);
  if (repeated.length > 0) throw new AmbiguousNamesError(kind.kind, repeated);
  return stored.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Executes the steps. Returns the secrets and tokens that are shown once, by step. */
async function carryOut(actor: Actor, steps: readonly Step[]): Promise<Map<Step, ShownOnce>> {
  const shown = new Map<Step, ShownOnce>();
  // Objects are removed last. An object is removed before the objects that it refers to.
  const inOrder = [
    ...steps.filter(({ outcome }) => outcome === 'created' || outcome === 'changed'),
    ...steps.filter(({ outcome }) => outcome === 'pruned').toReversed(),
  ];
  for (const [done, step] of inOrder.entries()) {
    try {
      const secret = await carryOutOne(actor, step);
      if (secret) shown.set(step, secret);
    } catch (error) {
      throw explained(error, step, done);
    }
  }
  return shown;
}

async function carryOutOne(actor: Actor, { kind, id, wanted }: Step): Promise<ShownOnce | undefined> {
  if (wanted === null) {
    if (id !== null) await kind.remove(actor, id);
    return undefined;
  }
  if (id === null) return kind.create(actor, wanted);
  await kind.update(actor, id, wanted);
  return undefined;
}

/** The error about one object. Its message states how many changes were applied before it. */
function explained(error: unknown, { kind, name }: Step, done: number): unknown {
  const place = `${kind.kind} ${JSON.stringify(name)}`;
  const before = `${done} objects were applied before this one was refused; apply the document again once it is mended. `;
  if (error instanceof BadRequestError) return BadRequestError.fields(placed(error, place), before);
  // Errors of an outage are passed on unchanged.
  if (error instanceof GovernanceError && error.code !== 'unavailable') {
    return new ConflictError(`${place}: ${error.message} ${before.trim()}`);
  }
  return error;
}

function requireScopes(actor: Actor, { kind }: ConfigurationKind, needed: ConfigurationKind['reads']): void {
  const lacking = needed.filter(scope => !actor.scopes.has(scope));
  if (lacking.length === 0) return;
  throw new ForbiddenError(`For ${kind}, the access token also needs: ${lacking.join(', ')}.`);
}

function reportOf(dryRun: boolean, steps: readonly Step[], shown: ReadonlyMap<Step, ShownOnce>): ApplyReport {
  const counts = Object.fromEntries(
    OUTCOMES.map(outcome => [outcome, steps.filter(step => step.outcome === outcome).length]),
  ) as Record<Outcome, number>;
  const differing = steps.filter(({ outcome }) => outcome !== 'unchanged');
  const objects = differing.map((step): AppliedObject => {
    const { kind, name, outcome, changes } = step;
    const shownOnce = shown.get(step);
    return Object.assign({ kind: kind.kind, name, outcome, changes }, shownOnce && { shownOnce });
  });
  return { dryRun, counts, objects };
}
