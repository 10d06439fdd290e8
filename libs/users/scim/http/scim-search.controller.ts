import { Body, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { CurrentActor, type Actor, type HttpRequest } from '#access';
import type { JsonObject } from '#core';
import { presentScimGroup } from '../groups/group.presenter.js';
import { ScimGroupReader } from '../groups/scim-group-reader.js';
import { readSearch } from '../protocol/list-request.js';
import { project } from '../protocol/projection.js';
import { GROUP_SCHEMA } from '../schemas/group.schema.js';
import { USER_SCHEMA } from '../schemas/user.schema.js';
import { ScimUserReader } from '../users/scim-user-reader.js';
import { presentScimUser } from '../users/user.presenter.js';
import { scimAddressOf } from './scim-address.js';
import { listAnswer } from './scim-answer.js';
import { ScimAnswer, ScimBody, ScimController, ScimRoute } from './scim.decorators.js';
import { ScimListDto, ScimSearchDto } from './scim.dto.js';

/** Searches users and groups together (RFC 7644, section 3.4.3). */
@ScimController()
export class ScimSearchController {
  constructor(
    private readonly users: ScimUserReader,
    private readonly groups: ScimGroupReader,
  ) {}

  @Post('.search')
  @HttpCode(200)
  @ScimRoute(400)
  @ScimBody(ScimSearchDto)
  @ScimAnswer(200, ScimListDto, 'One page; users come before groups.')
  @ApiOperation({ operationId: 'queryScimResources', summary: 'SCIM: search users and groups by POST' })
  async search(
    @CurrentActor() { orgId }: Actor,
    @Req() request: HttpRequest,
    @Body() body: unknown,
  ): Promise<JsonObject> {
    const base = scimAddressOf(request);
    const aboutUsers = readSearch(USER_SCHEMA, body, [GROUP_SCHEMA]);
    const aboutGroups = readSearch(GROUP_SCHEMA, body, [USER_SCHEMA]);
    const { startIndex, count } = aboutUsers;
    const users = await this.users.list(orgId, aboutUsers);
    const groups = await this.groups.list(orgId, {
      ...aboutGroups,
      startIndex: Math.max(1, startIndex - users.totalResults),
      count: count - users.found.length,
    });
    const resources = [
      ...users.found.map(each => project(aboutUsers.projection, presentScimUser(each, base))),
      ...groups.found.map(each => project(aboutGroups.projection, presentScimGroup(each, base))),
    ];
    return listAnswer(resources, users.totalResults + groups.totalResults, startIndex);
  }
}
