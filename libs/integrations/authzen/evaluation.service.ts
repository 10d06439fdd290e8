import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import { BadRequestError, ConflictError } from '#core';
import { callerOf, DecisionService, type Decision, type DecisionInput } from '#policy';
import { presentEvaluation, presentFault, type EvaluationAnswer } from './evaluation-answer.js';
import { readBatch, readEvaluation, type Batch } from './evaluation-request.js';

/** The answers to a batch, in the order of the evaluations. There are fewer if the batch ended early. */
export interface BatchAnswer {
  readonly evaluations: readonly EvaluationAnswer[];
}

/** Whether the batch ends with this answer. */
const ENDS: Record<Batch['semantic'], (decision: boolean) => boolean> = {
  execute_all: () => false,
  deny_on_first_deny: decision => !decision,
  permit_on_first_permit: decision => decision,
};

/**
 * Answers access evaluations (OpenID AuthZEN Authorization API 1.0) with decisions. These decisions are recorded like
 * all others.
 */
@Injectable()
export class EvaluationService {
  constructor(private readonly decisions: DecisionService) {}

  /**
   * Evaluates one request.
   *
   * @throws BadRequestError naming every invalid member
   */
  async evaluate(actor: Actor, body: unknown): Promise<EvaluationAnswer> {
    return presentEvaluation(
      await this.decisions.decide(actor.orgId, readEvaluation(body), { caller: callerOf(actor) }),
    );
  }

  /**
   * Evaluates a batch, or the body itself if it has no `evaluations`. An entry that cannot be evaluated is denied in
   * its position.
   * @throws BadRequestError if the batch as a whole is malformed
   */
  async evaluateAll(actor: Actor, body: unknown): Promise<EvaluationAnswer | BatchAnswer> {
    const batch = readBatch(body);
    if (!batch) return this.evaluate(actor, body);
    const evaluations =
      batch.semantic === 'execute_all' ? await this.executeAll(actor, batch) : await this.inTurn(actor, batch);
    return { evaluations };
  }

  private async executeAll(actor: Actor, { evaluations }: Batch): Promise<EvaluationAnswer[]> {
    const read = evaluations.map(readOrFault);
    const inputs = read.flatMap(each => ('input' in each ? [each.input] : []));
    const decisions = (
      inputs.length > 0 ? await this.decisions.decideAll(actor.orgId, inputs, callerOf(actor)) : []
    ).values();
    return read.map(each => ('input' in each ? presentNext(decisions) : each.fault));
  }

  /**
   * Entries are evaluated one after another. Entries after an early end of the batch must not be decided, recorded or
   * reserved.
   */
  private async inTurn(actor: Actor, { semantic, evaluations }: Batch): Promise<EvaluationAnswer[]> {
    const answers: EvaluationAnswer[] = [];
    for (const evaluation of evaluations) {
      const answer = await this.evaluateOrRefuse(actor, evaluation);
      answers.push(answer);
      if (ENDS[semantic](answer.decision)) break;
    }
    return answers;
  }

  private async evaluateOrRefuse(actor: Actor, evaluation: unknown): Promise<EvaluationAnswer> {
    try {
      return await this.evaluate(actor, evaluation);
    } catch (error) {
      return faultOf(error);
    }
  }
}

function readOrFault(evaluation: unknown): { input: DecisionInput } | { fault: EvaluationAnswer } {
  try {
    return { input: readEvaluation(evaluation) };
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

/** The answer for an error of one entry. Any other error fails the whole request. */
function faultOf(error: unknown): EvaluationAnswer {
  if (error instanceof BadRequestError || error instanceof ConflictError) return presentFault(error);
  throw error;
}

function presentNext(decisions: Iterator<Decision>): EvaluationAnswer {
  const next = decisions.next();
  if (next.done) throw new Error('An evaluation of a batch has not been answered.');
  return presentEvaluation(next.value);
}
