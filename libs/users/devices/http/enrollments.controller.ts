import { Body, Delete, Header, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, GovernanceController, NO_STORE, Refuses, Requires, ResourceId, type Actor } from '#access';
import { EnrollmentService } from '../enroll/enrollment.service.js';
import { CreateEnrollmentDto, EnrollmentResponseDto } from './device.dto.js';
import { presentEnrollment } from './device.presenter.js';

const SUSPENDED = 'The user is suspended; only devices of active users are enrolled and renewed.';

/** HTTP routes of enrollments. */
@GovernanceController('v1/devices/enrollments', 'Devices')
export class EnrollmentsController {
  constructor(private readonly enrollments: EnrollmentService) {}

  @Post()
  // Not cached, because the response contains an enrollment token.
  @Header('Cache-Control', 'no-store')
  @Requires('devices:write')
  @Refuses(400, [409, SUSPENDED], 413, 415)
  @ApiOperation({
    operationId: 'createDeviceEnrollment',
    summary: 'Create a one-time token to enroll a device of a user',
  })
  @ApiCreatedResponse({
    type: EnrollmentResponseDto,
    description: 'The enrollment with its token, which is shown only here.',
    headers: NO_STORE,
  })
  async create(@CurrentActor() actor: Actor, @Body() body: CreateEnrollmentDto): Promise<EnrollmentResponseDto> {
    const { user_id: userId, name, expires_at } = body;
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
    return presentEnrollment(await this.enrollments.issue(actor, { userId, name, expiresAt }));
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('devices:write')
  @Refuses(404, [409, 'A device has already been enrolled with this token; revoke the device instead.'])
  @ApiOperation({ operationId: 'deleteDeviceEnrollment', summary: 'Cancel an enrollment whose token was not used' })
  @ApiNoContentResponse({ description: 'The enrollment is cancelled; its token is no longer valid.' })
  cancel(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    return this.enrollments.cancel(actor, id);
  }
}
