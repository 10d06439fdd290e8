import { Logger } from '@nestjs/common';
import type { OpenCall } from '#calls';
import { messageOf } from '#core';
import { AnswerReader, usageOfAnswer, type AnswerSummary, type WireRequest, type WireRoute } from '#wire';

const logger = new Logger('Governance');

/** The part of an answer's head that says how to read its body. */
interface Head {
  readonly status: number;
  readonly contentType: string | undefined;
}

/** One governed call while its answer passes: reads the usage, writes it ahead, and settles once. */
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

  /** Call it when the request is sent: the write for the stream then runs while the provider works. */
  begin(): void {
    // Whoever waits for it later hears of a failure.
    if (this.request.stream) this.call.cover(0)?.catch(() => undefined);
  }

  /** The answer begins. */
  onHead({ status, contentType }: Head): void {
    const { hidesUsageChunk } = this.request;
    this.reader = new AnswerReader(this.route, { status, contentType, hidesUsageChunk });
  }

  /** Takes a piece of the answer; what is to be passed on of it. */
  push(chunk: Uint8Array): Uint8Array[] {
    return this.reader?.push(chunk) ?? [chunk];
  }

  /** Undefined where what was read so far is written ahead; otherwise resolves when it is. */
  covered(): Promise<void> | undefined {
    return this.call.cover(this.reader?.outputTokens ?? 0);
  }

  /** Whether what was read so far is written ahead, once that is known. */
  async isCovered(): Promise<boolean> {
    try {
      await this.covered();
      return true;
    } catch {
      return false;
    }
  }

  /** The answer has ended or was broken off. To be called once. */
  end(): AnswerSummary {
    return this.reader?.end() ?? { outputTokens: 0, estimated: true, ended: false, rest: [] };
  }

  /** Stores the usage of an answer. Whether that is done; what cannot be stored now is tried again by the call itself. */
  async settle(summary: AnswerSummary): Promise<boolean> {
    try {
      await this.call.settle(usageOfAnswer(this.request, summary));
      return true;
    } catch (error) {
      logger.error(`The usage of decision ${this.decisionId} is not stored yet: ${messageOf(error)}`);
      return false;
    }
  }

  /** Gives back what is reserved: nothing was served. */
  async release(): Promise<void> {
    try {
      await this.call.release();
    } catch (error) {
      logger.error(`The reservation of decision ${this.decisionId} is not released yet: ${messageOf(error)}`);
    }
  }

  /** Keeps what is reserved for longer. */
  async extend(): Promise<void> {
    try {
      await this.call.extend();
    } catch (error) {
      logger.warn(`The reservation of decision ${this.decisionId} was not extended: ${messageOf(error)}`);
    }
  }
}
