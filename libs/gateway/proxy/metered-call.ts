import { Logger } from '@nestjs/common';
import type { OpenCall } from '#calls';
import { messageOf } from '#core';
import { AnswerReader, usageOfAnswer, type AnswerSummary, type WireRequest, type WireRoute } from '#wire';

const logger = new Logger('Governance');

/** The headers that determine how to read the body. */
interface Head {
  readonly status: number;
  readonly contentType: string | undefined;
}

/**
 * One governed call during its answer. Reads the usage from the answer, writes it ahead, and records it once at the
 * end.
 */
export class MeteredCall {
  private reader: AnswerReader | undefined;

  constructor(
    private readonly call: OpenCall,
    private readonly route: WireRoute,
    private readonly request: WireRequest,
  ) {}

  get decisionId(): string | undefined {
    return this.call.decision?.id;
  }

  /** Call it when the request is sent. For a stream, the first write-ahead then runs while the provider works. */
  begin(): void {
    // Prevents an unhandled rejection. A later await still gets the error.
    if (this.request.stream) this.call.cover(0)?.catch(() => undefined);
  }

  /** Called when the answer begins. */
  onHead({ status, contentType }: Head): void {
    const { hidesUsageChunk } = this.request;
    this.reader = new AnswerReader(this.route, { status, contentType, hidesUsageChunk });
  }

  /** Processes a chunk of the answer. Returns the chunks to forward. */
  push(chunk: Uint8Array): Uint8Array[] {
    return this.reader?.push(chunk) ?? [chunk];
  }

  /** Undefined if the usage so far is already written ahead. Otherwise resolves once it is written. */
  covered(): Promise<void> | undefined {
    return this.call.cover(this.reader?.outputTokens ?? 0);
  }

  /** Waits for the write-ahead of the usage so far. Resolves with whether it succeeded. */
  async isCovered(): Promise<boolean> {
    try {
      await this.covered();
      return true;
    } catch {
      return false;
    }
  }

  /** Call it once, when the answer has ended or was aborted. */
  end(): AnswerSummary {
    return this.reader?.end() ?? { outputTokens: 0, estimated: true, ended: false, rest: [] };
  }

  /** Stores the usage of an answer. Returns whether the usage is stored. If not, the call retries in the background. */
  async settle(summary: AnswerSummary): Promise<boolean> {
    try {
      await this.call.settle(usageOfAnswer(this.request, summary));
      return true;
    } catch (error) {
      logger.error(`The usage of decision ${this.decisionId} is not stored yet: ${messageOf(error)}`);
      return false;
    }
  }

  /** Releases the reservation of a call for which the provider served nothing. */
  async release(): Promise<void> {
    try {
      await this.call.release();
    } catch (error) {
      logger.error(`The reservation of decision ${this.decisionId} is not released yet: ${messageOf(error)}`);
    }
  }

  /** Extends the reservation. */
  async extend(): Promise<void> {
    try {
      await this.call.extend();
    } catch (error) {
      logger.warn(`The reservation of decision ${this.decisionId} was not extended: ${messageOf(error)}`);
    }
  }
}
