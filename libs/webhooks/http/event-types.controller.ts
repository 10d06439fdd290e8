import { Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiPage, GovernanceController, Refuses, Requires } from '#access';
import type { Page } from '#core';
import { EVENT_CATALOGUE } from '#outbox';
import { EventTypeResponseDto } from './event-type.dto.js';
import { NothingDto } from './nothing.dto.js';

/** HTTP routes of event types. */
@GovernanceController('v1/events', 'Webhooks')
export class EventTypesController {
  @Get('types')
  @Requires('webhooks:read')
  @ApiOperation({
    operationId: 'listEventTypes',
    summary: 'List the types of events, each with the JSON Schema of its data and an example',
    description:
      'All types are on one page. `audit_anchor` is sent only to webhooks that name it. `ping` is sent by tests only; you ' +
      'cannot subscribe to it.',
  })
  @ApiPage(EventTypeResponseDto)
  @Refuses(400)
  list(@Query() _query: NothingDto): Page<EventTypeResponseDto> {
    const items = [...EVENT_CATALOGUE];
    return { items, next_cursor: null, has_more: false, total_count: items.length };
  }
}
