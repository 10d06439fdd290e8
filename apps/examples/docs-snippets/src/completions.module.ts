import { Module } from '@nestjs/common';
import { Completions } from './completions.js';
import { StaffModule } from './staff.js';
import { ViolationsListener } from './violations.listener.js';

/** Requests a decision before each model call, and notifies people of violations. */
@Module({ imports: [StaffModule], providers: [Completions, ViolationsListener], exports: [Completions] })
export class CompletionsModule {}
