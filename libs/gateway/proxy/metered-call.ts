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

/** One governed call during its answer: reads the usage, writes it ahead, and settles once. */
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

  /** Call it when the request is sent, so that the first write for a stream runs while the provider works. */
  begin(): void {
    // Prevents an unhandled rejection; a later await still gets the error.
    if (this.request.stream) this.call.cover(0)?.catch(() => undefined);
  }

  /** The answer begins. */
  onHead({ status, contentType }: Head): void {
    const { hidesUsageChunk } = this.request;
    this.reader = new AnswerReader(this.route, { status, contentType, hidesUsageChunk });
  }

  /** Processes a chunk of the answer. Returns the chunks to forward. */
  push(chunk: Uint8Array): Uint8Array[] {
    return this.reader?.push(chunk) ?? [chunk];
  }

  /** Undefined if the usage read so far is already written ahead; otherwise resolves once it is. */
  covered(): Promise<void> | undefined {
    return this.call.cover(this.reader?.outputTokens ?? 0);
  }

  /** Resolves with whether the usage read so far is written ahead. */
  async isCovered(): Promise<boolean> {
    try {
      await this.covered();
      return true;
    } catch {
      return false;
    }
  }

  /** The answer has ended or was aborted. Call it once. */
  end(): AnswerSummary {
    return this.reader?.end() ?? { outputTokens: 0, estimated: true, ended: false, rest: [] };
  }

  /** Stores the usage of an answer. Returns whether it is stored; otherwise the call retries. */
  async settle(summary: AnswerSummary): Promise<boolean> {
    try {
      await this.call.settle(usageOfAnswer(this.request, summary));
      return true;
    } catch (error) {
      logger.error(`The usage of decision ${this.decisionId} is not stored yet: ${messageOf(error)}`);
      return false;
    }
  }

  /** Releases the reservation, because nothing was served. */
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
