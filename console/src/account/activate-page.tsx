import { Page } from '../parts/page.js';

export const ActivatePage = () => <Page title="ActivatePage">…</Page>;
