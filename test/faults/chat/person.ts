import { GRACE } from '../../e2e/itsm/chat-notices.support.js';
import type { Slack, SlackMessage } from '../../emulators/slack/workspace.js';
import { sleep } from '../processes/chance.js';

/** After two seconds, the app answers even if the press is not stored yet. Only a faster answer confirms the press. */
const PROMPT_MS = 1_900;
const LABELS = ['Acknowledge', 'Deny', 'Approve'] as const;

/** A Slack user who presses a button of every message, and presses again if Slack shows a warning sign. */
export class Person {
  /** Presses that the app accepted. */
  taken = 0;
  /** Presses without an answer, or with an answer that does not confirm them. */
  unanswered = 0;
  private readonly done = new Set<SlackMessage>();

  constructor(
    private readonly slack: Slack,
    /** The current address of the app. */
    private readonly url: () => string,
  ) {}

  /** Presses buttons until aborted, and then until no message is left. */
  async work(over: AbortSignal): Promise<void> {
    for (;;) {
      const open = this.slack.messages.filter(message => !this.done.has(message));
      if (open.length === 0 && over.aborted) return;
      for (const message of open) await this.decide(message);
      await sleep(20);
    }
  }

  private async decide(message: SlackMessage): Promise<void> {
    const label = LABELS.find(each => JSON.stringify(message.blocks).includes(`"text":"${each}"`));
    // The message has no buttons any more: an earlier press was stored although its answer did not arrive.
    if (label === undefined) return void this.done.add(message);
    if (await this.press(message, this.done.size % 2 === 0 && label === 'Deny' ? 'Approve' : label)) {
      this.taken += 1;
      this.done.add(message);
    } else {
      this.unanswered += 1;
      await sleep(50);
    }
  }

  private async press(message: SlackMessage, label: string): Promise<boolean> {
    const { body, headers } = this.slack.press(message, label, GRACE);
    const began = performance.now();
    try {
      const url = `${this.url()}/v1/integrations/slack/interactions`;
      const { ok } = await fetch(url, { method: 'POST', body, headers });
      return ok && performance.now() - began < PROMPT_MS;
    } catch {
      return false;
    }
  }
}
