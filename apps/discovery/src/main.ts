import { run } from '@tandem/service-defaults';
import { app } from './app';

void run(app);
