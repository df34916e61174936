function value = simulink_library(world, path, name)
% Returns a property of a library block, or of a category, which is a subsystem without ports.
entry = struct('type', 'SubSystem', 'mask', '', 'ports', struct(), 'linked', false);
entry.parameters = containers.Map();
key = regexprep(path, '\s+', ' ');
if isKey(world.catalog, key)
    entry = world.catalog(key);
end
switch name
    case 'BlockType'
        value = entry.type;
    case 'MaskType'
        value = entry.mask;
    case 'ReferenceBlock'
        value = '';
    case 'Ports'
        kinds = {'in', 'out', 'enable', 'trigger', 'state', 'lconn', 'rconn', 'ifaction'};
        value = zeros(1, numel(kinds));
        for k = 1:numel(kinds)
            if isfield(entry.ports, kinds{k})
                value(k) = entry.ports.(kinds{k});
            end
        end
    case 'DialogParameters'
        value = [];
        names = keys(entry.parameters);
        for k = 1:numel(names)
            parameter = entry.parameters(names{k});
            type = 'string';
            if ~isempty(parameter.options)
                type = 'enum';
            end
            attributes = {'read-write'};
            if strcmp(parameter.kind, 'text')
                attributes = {'read-write', 'dont-eval'};
            end
            value.(names{k}) = struct('Prompt', names{k}, 'Type', type, ...
                'Enum', {reshape(parameter.options, 1, [])}, 'Attributes', {attributes});
        end
    otherwise
        if ~isKey(entry.parameters, name)
            error('Simulink:Commands:ParamUnknown', ...
                '%s block (mask) does not have a parameter named ''%s''.', entry.type, name);
        end
        value = entry.parameters(name).default;
end
end
