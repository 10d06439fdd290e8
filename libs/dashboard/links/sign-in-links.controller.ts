import { Body, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, GovernanceController, Refuses, Requires, SCOPES, type Actor } from '#access';
import { MakeSignInLinkDto, presentLink, SignInLinkResponseDto } from './sign-in-link.dto.js';
import { SignInLinks } from './sign-in-links.js';

/** HTTP route of sign-in links. */
@GovernanceController('v1/sessions/links', 'Dashboard')
export class SignInLinksController {
  constructor(private readonly links: SignInLinks) {}

  @Post()
  @Requires(SCOPES)
  @Refuses(400)
  @ApiOperation({
    operationId: 'createSignInLink',
    summary: 'Create a link that signs one browser in as you',
    description:
      'The link works once, ends with the access token of this request, and does not show the token to the browser.',
  })
  @ApiCreatedResponse({ type: SignInLinkResponseDto, description: 'The link.' })
  async make(@CurrentActor() actor: Actor, @Body() body: MakeSignInLinkDto): Promise<SignInLinkResponseDto> {
    return presentLink(await this.links.make(actor, body.expires_in_minutes));
  }
}
