import { Injectable } from '@nestjs/common';
import { Clock, UnauthorizedError } from '#core';
import { OrgDatabase, SCHEMA } from '#database';
import { SecretVault } from '#secrets';
import type { ChatCommand, ChatCommandAdapter, ChatRequest } from '../chat-command-adapter.port.js';
import { ChatLink } from '../setup/chat-link.entity.js';
import { signingSecretPlace } from '../setup/chat-workspaces.service.js';

const CANDIDATES = `select org_id as "orgId", id from ${SCHEMA}.chat_workspaces_of($1, $2)`;

/** An organization that a command is for. */
export interface ChatOwner {
  readonly orgId: string;
  /** The workspace's own id here. */
  readonly id: string;
}

/** The signature is wrong, too old, or nobody has set the workspace up: whoever asks is told no more than that. */
export class ChatSignatureError extends UnauthorizedError {
  constructor() {
    super('The request is not signed as it should be; check the signing secret and the clock.');
  }
}

/** Finds out for whom a command is: the signature tells, whatever the command claims. */
@Injectable()
export class ChatOwners {
  constructor(
    private readonly database: OrgDatabase,
    private readonly vault: SecretVault,
    private readonly clock: Clock,
  ) {}

  /**
   * The organization whose secret signed the request. Where several share one secret, the one in which the account is
   * linked, or else the first.
   * @throws ChatSignatureError
   */
  async of(adapter: ChatCommandAdapter, command: ChatCommand, request: ChatRequest): Promise<ChatOwner> {
    const candidates = await this.database.global<ChatOwner>(CANDIDATES, [adapter.kind, command.workspace]);
    const signers: ChatOwner[] = [];
    for (const candidate of candidates) {
      if (await this.hasSigned(adapter, request, candidate)) signers.push(candidate);
    }
    const [first, ...others] = signers;
    if (!first) throw new ChatSignatureError();
    if (others.length === 0) return first;
    for (const signer of signers) if (await this.knows(signer, adapter.kind, command)) return signer;
    return first;
  }

  private async hasSigned(adapter: ChatCommandAdapter, request: ChatRequest, candidate: ChatOwner): Promise<boolean> {
    const secret = await this.database.transaction(candidate.orgId, em =>
      this.vault.getMany(em, [signingSecretPlace(candidate)]),
    );
    // One that cannot be read withholds no other.
    return typeof secret[0] === 'string' && adapter.isAuthentic(request, secret[0], this.clock.now());
  }

  private async knows({ orgId }: ChatOwner, platform: string, command: ChatCommand): Promise<boolean> {
    const { workspace, account } = command;
    const links = await this.database.transaction(orgId, em =>
      em.count(ChatLink, { orgId, platform, workspace, account }),
    );
    return links > 0;
  }
}
