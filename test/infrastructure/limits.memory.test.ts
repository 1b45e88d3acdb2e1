import { MemoryLimits } from '../../src/infrastructure/limits/memory.js';
import { limitsSuite } from './limits.suite.js';

limitsSuite('the memory of the process', () => new MemoryLimits());
