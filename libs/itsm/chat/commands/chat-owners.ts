import { Injectable } from '@nestjs/common';
import { Clock, OrganizationStates, UnauthorizedError } from '#core';
import { OrgDatabase, SCHEMA } from '#database';
import { SecretVault } from '#secrets';
import type { ChatCommand, ChatCommandAdapter, ChatRequest } from '../chat-command-adapter.port.js';
import { ChatLink } from '../setup/chat-link.entity.js';
import { signingSecretPlace } from '../setup/workspace-secrets.js';

const CANDIDATES = `select org_id as "orgId", id from ${SCHEMA}.chat_workspaces_of($1, $2)`;

/** The sender that the request names. It is not verified yet. */
type Sender = Pick<ChatCommand, 'workspace' | 'account'>;

/** An organization to which a command may belong. */
export interface ChatOwner {
  readonly orgId: string;
  /** Id that this service has assigned to the workspace. */
  readonly id: string;
}

/** The organization to which a command belongs, and whether that organization may run commands. */
export interface KnownOwner extends ChatOwner {
  readonly isSuspended: boolean;
}

/** The signature is invalid or too old, or the workspace is not registered. The answer does not say which. */
export class ChatSignatureError extends UnauthorizedError {
  constructor() {
    super('The signature of the request is invalid or too old; check the signing secret and the clock.');
  }
}

/** Finds the organization of a command by the signature; the content of the command is not trusted. */
@Injectable()
export class ChatOwners {
  constructor(
    private readonly database: OrgDatabase,
    private readonly vault: SecretVault,
    private readonly clock: Clock,
    private readonly organizations: OrganizationStates,
  ) {}

  /**
   * Returns the organization whose secret signed the request. If several organizations have the same secret, returns
   * the one that has linked the account. If none has, returns the first one.
   * @throws ChatSignatureError
   */
  async of(adapter: ChatCommandAdapter, command: Sender, request: ChatRequest): Promise<KnownOwner> {
    const owner = await this.find(adapter, command, request);
    return { ...owner, isSuspended: await this.organizations.isSuspended(owner.orgId) };
  }

  private async find(adapter: ChatCommandAdapter, command: Sender, request: ChatRequest): Promise<ChatOwner> {
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
    // An unreadable secret is skipped, so that other organizations can still match.
    return typeof secret[0] === 'string' && adapter.isAuthentic(request, secret[0], this.clock.now());
  }

  private async knows({ orgId }: ChatOwner, platform: string, command: Sender): Promise<boolean> {
    const { workspace, account } = command;
    const links = await this.database.transaction(orgId, em =>
      em.count(ChatLink, { orgId, platform, workspace, account }),
    );
    return links > 0;
  }
}
