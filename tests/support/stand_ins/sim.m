function out = sim(model, varargin)
% Logs nothing, or a NaN at the block that GROUNDED_NAN names; raises an error if that is "error".
name = getenv('GROUNDED_NAN');
log = struct('numElements', 0);
if strcmp(name, 'error')
    error('Simulink:Engine:DerivNotFinite', 'Derivative of state ''1'' is not finite.');
elseif ~isempty(name)
    path = struct('getBlock', @(~) [model '/' name]);
    values = struct('Data', [1; 2; NaN], 'Time', [0; 0.5; 1]);
    element = struct('Values', values, 'PortIndex', 1, 'BlockPath', path);
    log = struct('numElements', 1, 'getElement', @(~) element);
end
out = struct('get', @(~) log);
end
