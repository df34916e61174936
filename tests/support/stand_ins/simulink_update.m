function simulink_update(~)
% Does nothing: only Simulink can update a diagram.
end
