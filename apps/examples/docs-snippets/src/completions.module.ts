import { Module } from '@nestjs/common';
import { Completions } from './completions.js';
import { StaffModule } from './staff.js';
import { ViolationsListener } from './violations.listener.js';

/** A module that requests a decision before each model call, and notifies users of violations. */
@Module({ imports: [StaffModule], providers: [Completions, ViolationsListener], exports: [Completions] })
export class CompletionsModule {}
